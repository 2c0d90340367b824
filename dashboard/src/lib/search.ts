/**
 * Readers of what stands in an address after `?`. Each gives undefined for what is absent or does not fit, so that a
 * mistyped address shows a list rather than an error, and a default stands in no address.
 */

/** One of these words. */
export function oneOf<const T extends string>(value: unknown, ...allowed: readonly T[]): T | undefined {
  return allowed.find((word) => word === value);
}

/** The words of a type of the API, all of them: one that is missing, or unknown to it, is an error of types. */
export const wordsOf = <T extends string>(words: Readonly<Record<T, unknown>>): readonly T[] =>
  Object.keys(words) as T[];

/** Text that is not empty. The router reads `?q=12` as a number and `?q=true` as a boolean. */
export function text(value: unknown): string | undefined {
  const read = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof read === 'string' && read !== '' ? read : undefined;
}

/**
 * As `text`, and what can be no value of the filter, too (`?cause=A&cause=B` is a list): for filters of what is then acted on. The
 * service refuses what it does not know; left out, everything would be meant.
 */
export const anything = (value: unknown): string | undefined =>
  text(value) ?? (value === undefined || value === '' ? undefined : JSON.stringify(value));

/** A whole number from `min`. */
export function whole(value: unknown, min = 1): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min ? value : undefined;
}

/** The last page that the service gives of a list. */
const LAST_PAGE = 10_000;

/** The page of a list; the first stands in no address. */
export function pageNumber(value: unknown): number | undefined {
  const page = whole(value);
  return page === 1 || (page ?? 1) > LAST_PAGE ? undefined : page;
}

/** A point in time as `Date` reads it, also "2026"; as the service takes it. */
export function moment(value: unknown): string | undefined {
  const at = new Date(text(value) ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** A time from `since` on, and before `until`. */
export interface SpanSearch {
  since?: string;
  until?: string;
}

export const span = ({ since, until }: Record<string, unknown>): SpanSearch => ({
  since: moment(since),
  until: moment(until),
});

/** True, or not in the address. */
export const flag = (value: unknown): true | undefined => (value === true ? true : undefined);
