/** Spans of time by which a search is narrowed to the newest posts, finest first. */
const UNITS = [
  {
    mark: 'h',
    digits: 13,
    ms: 3_600_000,
    begin: (at: Date) => at.setUTCMinutes(0, 0, 0),
    next: (at: Date) => at.setUTCHours(at.getUTCHours() + 1),
  },
  {
    mark: 'd',
    digits: 10,
    ms: 86_400_000,
    begin: (at: Date) => at.setUTCHours(0, 0, 0, 0),
    next: (at: Date) => at.setUTCDate(at.getUTCDate() + 1),
  },
  {
    mark: 'm',
    digits: 7,
    ms: 28 * 86_400_000,
    begin: (at: Date) => new Date(at.setUTCHours(0, 0, 0, 0)).setUTCDate(1),
    next: (at: Date) => at.setUTCMonth(at.getUTCMonth() + 1),
  },
  {
    mark: 'y',
    digits: 4,
    ms: 365 * 86_400_000,
    begin: (at: Date) => new Date(at.setUTCHours(0, 0, 0, 0)).setUTCMonth(0, 1),
    next: (at: Date) => at.setUTCFullYear(at.getUTCFullYear() + 1),
  },
] as const;
type Unit = (typeof UNITS)[number];

/** A query has so many of them at most: as many years as a blog may have. Fewer are chosen wherever they do. */
const MOST = 62;
/** What else the index goes through for each post: the words, about. */
const OTHER_LISTS = 4;

const periodAt = (at: number, { mark, digits }: Unit): string =>
  `=${mark}${new Date(at).toISOString().slice(0, digits)}`;
const beginOf = (at: number, unit: Unit): number => unit.begin(new Date(at));
const endOf = (at: number, unit: Unit): number => unit.next(new Date(at));

/** The hour, day, month and year of a moment, as lexemes of a search document. */
export const periodsOf = (at: Date): string[] => UNITS.map((unit) => periodAt(at.getTime(), unit));

interface Cover {
  periods: string[];
  /** Of all that is covered. Milliseconds. */
  length: number;
}

/** The longest periods that make up all from one moment to the other; `edge` is the finest, also at both ends. */
function cover(from: number, to: number, edge: Unit): Cover | null {
  const coarsestFirst = UNITS.slice(UNITS.indexOf(edge)).toReversed();
  const periods: string[] = [];
  const begin = beginOf(from, edge);
  let at = begin;
  while (at <= to) {
    if (periods.length === MOST) return null;
    const fits = (unit: Unit) => beginOf(at, unit) === at && endOf(at, unit) <= to;
    const unit = coarsestFirst.find(fits) ?? edge;
    periods.push(periodAt(at, unit));
    at = endOf(at, unit);
  }
  return { periods, length: at - begin };
}

/** The index compares each of its entries that are covered with each of the lists: measured, 17 months took three times as long as two years. */
const costOf = ({ periods, length }: Cover): number => length * (periods.length + OTHER_LISTS);

/**
 * Lexemes of periods that together cover at least everything from one moment to the other, such that the index has the least to do:
 * many short ones for exactly that, or a few longer ones for more. Null when any would be too many.
 */
export function periodsBetween(from: Date, to: Date): string[] | null {
  const covers = UNITS.flatMap((edge) => cover(from.getTime(), to.getTime(), edge) ?? []);
  const [best] = covers.toSorted((a, b) => costOf(a) - costOf(b));
  return best?.periods ?? null;
}
