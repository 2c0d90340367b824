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

/** A query has so many of them at most: each is a list that the index goes through. */
const MOST = 62;
/** The outermost periods are no longer than this part of the whole: so much more than what was asked for is looked at. */
const EDGE_SHARE = 4;

const periodAt = (at: number, { mark, digits }: Unit): string =>
  `=${mark}${new Date(at).toISOString().slice(0, digits)}`;
const beginOf = (at: number, unit: Unit): number => unit.begin(new Date(at));
const endOf = (at: number, unit: Unit): number => unit.next(new Date(at));

/** The hour, day, month and year of a moment, as lexemes of a search document. */
export const periodsOf = (at: Date): string[] => UNITS.map((unit) => periodAt(at.getTime(), unit));

/** The longest periods that make up all from one moment to the other; `edge` is the finest, also at both ends. */
function cover(from: number, to: number, edge: Unit): string[] | null {
  const coarsestFirst = UNITS.slice(UNITS.indexOf(edge)).toReversed();
  const periods: string[] = [];
  for (let at = beginOf(from, edge); at <= to; ) {
    if (periods.length === MOST) return null;
    const fits = (unit: Unit) => beginOf(at, unit) === at && endOf(at, unit) <= to;
    const unit = coarsestFirst.find(fits) ?? edge;
    periods.push(periodAt(at, unit));
    at = endOf(at, unit);
  }
  return periods;
}

/**
 * Lexemes of periods that together cover at least everything from one moment to the other, and little more; null when that
 * would take too many.
 */
export function periodsBetween(from: Date, to: Date): string[] | null {
  const [first, last] = [from.getTime(), to.getTime()];
  const finest = UNITS.findLastIndex((unit) => (last - first) / unit.ms >= EDGE_SHARE);
  for (const edge of UNITS.slice(Math.max(0, finest))) {
    const periods = cover(first, last, edge);
    if (periods) return periods;
  }
  return null;
}
