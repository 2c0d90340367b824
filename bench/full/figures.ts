/** What one measurement gave, each by its name: numbers, and times in milliseconds. */
export interface Measured {
  numbers?: Readonly<Record<string, number>>;
  times?: Readonly<Record<string, readonly number[]>>;
}

/** Of an even number, the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [from, to] = [(sorted.length - 1) >> 1, sorted.length >> 1];
  return ((sorted[from] ?? Number.NaN) + (sorted[to] ?? Number.NaN)) / 2;
}

/**
 * All rounds of one side: of a number the median, of times the quantiles of all of them together. The 99th part of one round of
 * five seconds is the third largest of 250, which says little.
 */
export class Figures {
  readonly #numbers = new Map<string, number[]>();
  readonly #times = new Map<string, number[]>();

  add({ numbers = {}, times = {} }: Measured): void {
    for (const [name, value] of Object.entries(numbers)) listOf(this.#numbers, name).push(value);
    for (const [name, values] of Object.entries(times)) {
      const all = listOf(this.#times, name);
      for (const value of values) all.push(value);
    }
  }

  /** In the order in which they came first; of times `<name>: p50 ms` and `<name>: p99 ms`. */
  all(): Map<string, number> {
    const all = new Map<string, number>();
    for (const [name, values] of this.#numbers) all.set(name, median(values));
    for (const [name, values] of this.#times) {
      const sorted = values.toSorted((a, b) => a - b);
      for (const [quantile, part] of [
        ['p50', 0.5],
        ['p99', 0.99],
      ] as const)
        all.set(`${name}: ${quantile} ms`, sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
    }
    return all;
  }
}

function listOf(lists: Map<string, number[]>, name: string): number[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
