export interface Weighted {
  value: number;
  /** How many it stands for. */
  weight: number;
}

export interface Percentiles {
  p50: number;
  p95: number;
}

/** The least value that, with those below it, stands for a share of all (nearest rank). `sorted` is not empty. */
function rank(sorted: readonly Weighted[], all: number, share: number): number {
  let sum = 0;
  for (const { value, weight } of sorted) {
    sum += weight;
    // Weights are fractions: their sum may miss what it should be by the last bit.
    if (sum >= all * share - 1e-6) return value;
  }
  return (sorted.at(-1) as Weighted).value;
}

/** Median and 95th percentile, by nearest rank; null of nothing. */
export function percentilesOf(values: readonly Weighted[]): Percentiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const all = values.reduce((sum, { weight }) => sum + weight, 0);
  return { p50: rank(sorted, all, 0.5), p95: rank(sorted, all, 0.95) };
}
