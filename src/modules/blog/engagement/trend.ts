/**
 * How much is going on around a post, as one number that needs no care as time passes. Each view, like or share counts
 * its weight, and half as much after each half-life h: the score at time t is
 *
 *   s(t) = Σ weightᵢ · 2^((tᵢ − t) / h)  =  2^(−t / h) · Σ weightᵢ · 2^(tᵢ / h)
 *
 * The first factor is the same for all posts, so they are ordered by the sum alone, which changes only when something
 * happens. Stored is its logarithm, `trend = log₂ Σ weightᵢ · 2^(tᵢ / h)`: in half-lives since 1970, about 20 000 now.
 * A post of trend x + 1 has twice the score of one of x; standing still for a day costs as much.
 */

/** Something counts half as much after this time. Milliseconds. */
export const HALF_LIFE_MS = 24 * 3600 * 1000;

/** What an activity counts: a view is the unit; it takes more to like or to pass on. */
export const WEIGHTS = { view: 1, like: 4, share: 4 } as const;

/** The trend of a post around which nothing happened yet: below every other. */
export const NO_TREND = 0;

const termOf = (weight: number, at: number): number => at / HALF_LIFE_MS + Math.log2(weight);

/** The trend after one more activity `at`, in milliseconds since 1970. */
export function addActivity(trend: number, weight: number, at: number): number {
  const term = termOf(weight, at);
  const [low, high] = trend < term ? [trend, term] : [term, trend];
  return high + Math.log2(1 + 2 ** (low - high));
}

/** The highest trend that so much activity can have by now, and one for a clock that is a little ahead. */
export const mostTrend = (weight: number, now: number): number => termOf(Math.max(1, weight), now) + 1;

/** Less than this part of a sum is the rounding of its logarithm, and not an activity that is left. */
const NOISE = 1e-9;

/**
 * The trend without an activity that had been added; NO_TREND where what is left is beyond what the number is exact to (all of it more than
 * thirty half-lives older), which only the activities themselves can tell.
 */
export function removeActivity(trend: number, weight: number, at: number): number {
  const left = 1 - 2 ** (termOf(weight, at) - trend);
  return left < NOISE ? NO_TREND : trend + Math.log2(left);
}
