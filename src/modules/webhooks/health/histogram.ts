/** Upper bounds in milliseconds: each 1.41 times the one before, so a percentile is told to within a fifth. */
const BOUNDS: readonly number[] = Array.from({ length: 33 }, (_, i) => 2 ** (i / 2));

/** How many counts a histogram holds: one per bound, and one for what is above the last (over a minute). */
export const HISTOGRAM_SIZE = BOUNDS.length + 1;

/** Which count a duration belongs to. */
export function placeOf(ms: number): number {
  if (ms <= 1) return 0;
  return Math.min(BOUNDS.length, Math.ceil(2 * Math.log2(ms)));
}

/** The duration that this share of all does not exceed, in the middle of its count; null when there are none. Milliseconds. */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, n) => sum + n, 0);
  if (total === 0) return null;
  let below = 0;
  const place = counts.findIndex((n) => (below += n) >= share * total);
  const upper = BOUNDS[Math.min(place, BOUNDS.length - 1)] as number;
  return Math.round(place === 0 ? upper : upper / 2 ** 0.25);
}
