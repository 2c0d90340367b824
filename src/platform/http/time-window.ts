import { Type } from 'typebox';
import { type ErrorDetail, invalid } from '../../contracts/errors.ts';
import { BUCKETS, type Bucket, bucketStart, bucketStarts } from '../../lib/time-buckets.ts';
import { DateTime } from './paging.ts';

/** Most buckets of one reply. */
export const MAX_BUCKETS = 1000;
/** Where only the ends are given, the bucket is the shortest of which there are at most so many. */
const COMFORTABLE = 200;
/** How many buckets there are where `since` is not given: the last hour, day, month, quarter and year. */
const USUAL = { minute: 60, hour: 24, day: 30, week: 13, month: 12 } as const;
/** Whole days end here: both databases write the years 1000 to 9999 alike (lib/date-time.ts). */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** Query of a count over time: which part of it, and cut how. Spread into a query schema. */
export const windowQuery = (buckets: readonly Bucket[] = BUCKETS) => ({
  since: Type.Optional(
    Type.Unsafe<string>({
      ...DateTime,
      description: `From this time on. Default: ${buckets.map((b) => `${USUAL[b]} buckets of ${b === 'hour' ? 'an' : 'a'} ${b}`).join(', ')}, up to \`until\`.`,
    }),
  ),
  until: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Before this time. Default: now.' })),
  bucket: Type.Optional(
    Type.Enum([...buckets], {
      description: `By what is counted, in UTC; weeks begin on Monday. At most ${MAX_BUCKETS}. Default: the shortest that gives at most ${COMFORTABLE}.`,
    }),
  ),
});

/** The part of a reply that says what was counted. */
export const windowProperties = (buckets: readonly Bucket[] = BUCKETS) => ({
  since: DateTime,
  until: DateTime,
  bucket: Type.Enum([...buckets]),
});

/** Half-open: `since` is in it, `until` is not. */
export interface TimeWindow {
  since: Date;
  until: Date;
  bucket: Bucket;
  /** Where each bucket begins, in order. The first and the last may reach beyond the window. Milliseconds. */
  starts: readonly number[];
}

export interface WindowRules {
  now: Date;
  /** By what is counted when neither `bucket` nor `since` says; from the shortest to the longest that may be asked for. */
  buckets: readonly [Bucket, ...Bucket[]];
  usual: Bucket;
}

interface Asked {
  since?: string;
  until?: string;
  bucket?: Bucket;
}

/** What is wrong with a span of a list: nothing could be in it. `at`: where the two are in the request. */
export function spanFaults({ since, until }: Pick<Asked, 'since' | 'until'>, at: string): ErrorDetail[] {
  const isMixedUp = since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until);
  return isMixedUp ? [{ path: `${at}.since`, message: 'must not be after `until`' }] : [];
}

/** Whole days are counted: a part of one is taken for all of it. */
function wholeDays(since: number, until: number): [number, number] {
  return [bucketStart('day', since), Math.min(bucketStart('day', until - 1, 1), LAST_DAY)];
}

function cut(since: number, until: number, { bucket }: Asked, buckets: readonly Bucket[]): TimeWindow | null {
  const most = bucket === undefined ? COMFORTABLE : MAX_BUCKETS;
  for (const length of bucket === undefined ? buckets : [bucket]) {
    const starts = bucketStarts(length, since, until, length === buckets.at(-1) ? MAX_BUCKETS : most);
    if (starts !== null) return { since: new Date(since), until: new Date(until), bucket: length, starts };
  }
  return null;
}

/**
 * What is asked for, completed. Throws VALIDATION_ERROR when it ends before it begins, and when it has more than 1,000
 * buckets. Where the shortest bucket is a day, it is widened to whole days.
 */
export function windowOf(asked: Asked, { now, buckets, usual }: WindowRules): TimeWindow {
  const end = asked.until === undefined ? now.getTime() : Date.parse(asked.until);
  const bucket = asked.bucket ?? (asked.since === undefined ? usual : undefined);
  const begin =
    asked.since === undefined
      ? bucketStart(bucket ?? usual, end - 1, 1 - USUAL[bucket ?? usual])
      : Date.parse(asked.since);
  const [since, until] = buckets[0] === 'day' && begin < end ? wholeDays(begin, end) : [begin, end];
  if (since >= until) {
    throw invalid({ path: 'query.since', message: 'must be before `until`, which is now when it is not given' });
  }
  const window = cut(since, until, bucket === undefined ? {} : { bucket }, buckets);
  if (window) return window;
  throw invalid({
    path: 'query.bucket',
    message: `gives more than ${MAX_BUCKETS} buckets between \`since\` and \`until\`; take a longer one or a shorter time`,
  });
}
