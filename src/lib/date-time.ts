const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const digits2 = (s: string, at: number): number => s.charCodeAt(at) * 10 + s.charCodeAt(at + 1) - 528;

/**
 * RFC 3339 §5.6 with `T` and `Z` in upper case. A leap second is refused, since no JavaScript date can hold it.
 * Never allocates, unlike the one of ajv-formats.
 */
export function isDateTime(s: string): boolean {
  if (!DATE_TIME.test(s)) return false;
  const day = digits2(s, 8);
  if (day <= 28) return true;
  const month = digits2(s, 5);
  if (month !== 2) return day <= 30 || !(month === 4 || month === 6 || month === 9 || month === 11);
  const century = digits2(s, 0);
  const year = digits2(s, 2);
  return day === 29 && (year === 0 ? century % 4 === 0 : year % 4 === 0);
}
