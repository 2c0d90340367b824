import { type Percentiles, percentilesOf, type Weighted } from '../../../lib/percentiles.ts';
import type { Picked } from './store.ts';

/** Deliveries of which the log is read for one reply, and the fewest of a bucket that has as many. */
const SAMPLE = 5000;
const LEAST = 10;

/**
 * Of how many deliveries of each bucket one is picked, so that all buckets are known about equally well. Powers of two: what
 * is picked as one of many is also picked as one of fewer.
 */
export function shares(totals: readonly number[]): number[] {
  const some = totals.filter((total) => total > 0);
  const wanted = Math.max(LEAST, Math.floor(SAMPLE / Math.max(1, some.length)));
  const share = (total: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, total / wanted)));
  // Nothing is picked of an empty bucket; its share must not be the least (store.ts).
  return totals.map((total) => share(total === 0 ? Math.max(...totals) : total));
}

export interface Durations {
  /** Of an attempt. Milliseconds. */
  attemptMs: Percentiles | null;
  /** From the making of a delivery to its arrival, waits between attempts included. Milliseconds. */
  deliveredAfterMs: Percentiles | null;
}

const tenths = (found: Percentiles | null): Percentiles | null =>
  found && { p50: Math.round(found.p50 * 10) / 10, p95: Math.round(found.p95 * 10) / 10 };

/** Of what was picked; a delivery stands for as many as its bucket says. */
export function durationsOf(picked: readonly Picked[], every: readonly number[]): Durations {
  const [attempts, delays]: [Weighted[], Weighted[]] = [[], []];
  for (const { bucket, delay, durations } of picked) {
    const weight = every[bucket - 1] ?? 1;
    for (const value of durations ?? []) if (value !== null) attempts.push({ value, weight });
    if (delay !== null) delays.push({ value: Math.max(0, delay), weight });
  }
  return { attemptMs: tenths(percentilesOf(attempts)), deliveredAfterMs: tenths(percentilesOf(delays)) };
}
