const DATE_TIME =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const digits2 = (s: string, at: number): number => s.charCodeAt(at) * 10 + s.charCodeAt(at + 1) - 528;

/** Said of a text that `isDateTime` refuses. */
export const DATE_TIME_RULE = 'must be an RFC 3339 date-time of the years 1000 to 9999, such as 2026-03-01T09:05:00Z';

/** The last instant of these years, which both databases write alike. Milliseconds since 1970. */
export const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * RFC 3339 §5.6 with `T` and `Z` in upper case, in the years 1000 to 9999 as written and in UTC. Years of other lengths
 * are not written alike by both databases: PGlite reads the year 1 back as 2001. A leap second is refused, since no
 * JavaScript date can hold it. Allocates only on the first and last day of these years, unlike the one of ajv-formats.
 */
export function isDateTime(s: string): boolean {
  if (!DATE_TIME.test(s)) return false;
  const day = digits2(s, 8);
  if (day > 28 && !isDayOfMonth(s, day)) return false;
  if (s.startsWith('1000-01-01')) return new Date(s).getUTCFullYear() === 1000;
  return !s.startsWith('9999-12-31') || new Date(s).getUTCFullYear() === 9999;
}

function isDayOfMonth(s: string, day: number): boolean {
  const month = digits2(s, 5);
  if (month !== 2) return day <= 30 || !(month === 4 || month === 6 || month === 9 || month === 11);
  const century = digits2(s, 0);
  const year = digits2(s, 2);
  return day === 29 && (year === 0 ? century % 4 === 0 : year % 4 === 0);
}
