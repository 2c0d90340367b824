/**
 * Spans of time by which a search is narrowed to the newest posts, finest first, each with how many of it a query has at
 * most: beyond, the next is taken, since each of them is a list that the index goes through.
 */
const UNITS = [
  { mark: 'h', digits: 13, ms: 3_600_000, most: 32 },
  { mark: 'd', digits: 10, ms: 86_400_000, most: 32 },
  { mark: 'm', digits: 7, ms: 28 * 86_400_000, most: 8 },
  { mark: 'y', digits: 4, ms: 365 * 86_400_000, most: 60 },
] as const;

const periodAt = (at: Date, { mark, digits }: (typeof UNITS)[number]): string =>
  `=${mark}${at.toISOString().slice(0, digits)}`;

/** The hour, day, month and year of a moment, as lexemes of a search document. */
export const periodsOf = (at: Date): string[] => UNITS.map((unit) => periodAt(at, unit));

/**
 * Lexemes of periods that together cover at least everything from one moment to the other; null when that would take
 * too many.
 */
export function periodsBetween(from: Date, to: Date): string[] | null {
  const unit = UNITS.find(({ ms, most }) => (to.getTime() - from.getTime()) / ms < most);
  if (!unit) return null;
  const periods = new Set<string>();
  for (let at = from.getTime(); at < to.getTime(); at += unit.ms) periods.add(periodAt(new Date(at), unit));
  return [...periods.add(periodAt(to, unit))];
}
