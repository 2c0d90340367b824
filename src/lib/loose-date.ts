const DATE =
  /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:(?:T| +)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?: *(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?$/i;

/**
 * A date as people write it in front matter (`2013-06-04`, `2013/6/4`, `2013-06-04 21:37`, `2013-06-04T21:37:25.000Z`,
 * `2013-06-04 9:37:25 +0200`, `2013-06-04 21:37 UTC`) as RFC 3339 in UTC, or undefined. Without a zone it is UTC; without a time, midnight.
 */
export function readLooseDate(text: string): string | undefined {
  const match = DATE.exec(text.trim());
  if (!match) return undefined;
  const [, year, , month = '', day = '', hour = '', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const offset = /^[a-z]/i.test(zone) ? 'Z' : zone.replace(/^(...):?/, '$1:');
  const two = (digits: string): string => digits.padStart(2, '0');
  const written = `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}.${ms}`;
  // The 30th of February would become the 2nd of March.
  const asUtc = new Date(`${written}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== `${written}Z`) return undefined;
  const at = new Date(written + offset);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
