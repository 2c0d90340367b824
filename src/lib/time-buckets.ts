/** Lengths of time by which things are counted, in UTC; a week begins on Monday (ISO 8601). */
export const BUCKETS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Bucket = (typeof BUCKETS)[number];

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const WEEK = 7 * DAY;
/** The first Monday since the epoch, which was a Thursday. */
const MONDAY = 4 * DAY;

const FIXED = {
  minute: { length: MINUTE, from: 0 },
  hour: { length: 60 * MINUTE, from: 0 },
  day: { length: DAY, from: 0 },
  week: { length: WEEK, from: MONDAY },
} as const;

/** The start of the bucket in which `ms` is, or of the one that is `later` buckets after it. Milliseconds since the epoch. */
export function bucketStart(bucket: Bucket, ms: number, later = 0): number {
  if (bucket === 'month') {
    const at = new Date(ms);
    return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later, 1);
  }
  const { length, from } = FIXED[bucket];
  return (Math.floor((ms - from) / length) + later) * length + from;
}

/**
 * The starts of all buckets that have a part of [since, until), in order; the first may be before `since`. Null when
 * there are more than `most`.
 */
export function bucketStarts(bucket: Bucket, since: number, until: number, most: number): number[] | null {
  const starts: number[] = [];
  for (let at = bucketStart(bucket, since); at < until; at = bucketStart(bucket, at, 1)) {
    if (starts.length === most) return null;
    starts.push(at);
  }
  return starts;
}
