const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

// Words of the calendar would be wrong of lengths: in 35 hours it is often the day after tomorrow, in 17 months not next year.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** "3 hours ago", "in 1 day", "just now". `at` and `now` in milliseconds. */
export function relativeText(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  // Pages look at their clock four times a minute: to the second would be more than they know.
  return Math.abs(seconds) < 30 ? 'just now' : relative.format(seconds, 'second');
}

/** Of what comes by itself at a time: "in 5 minutes"; when that has come "due now", or "overdue by 3 minutes". In milliseconds. */
export function dueText(at: number, now: number): string {
  const late = now - at;
  if (late < -30_000) return relativeText(at, now);
  if (late < 60_000) return 'due now';
  return `overdue by ${relativeText(at, now).replace(/ ago$/, '')}`;
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/** To the second, with the time zone of this browser. */
export const exactText = (at: Date): string => exact.format(at);

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
const second = new Intl.DateTimeFormat('en-GB', { timeStyle: 'long' });

/** The same in two pieces, shorter: "25 Nov 2026" and "14:05:00 CET". */
export const exactPieces = (at: Date): [day: string, time: string] => [day.format(at), second.format(at)];

/** To the minute, as a schedule is read, with the time zone of this browser, in two pieces: "25 Nov 2026" and "14:05 CET". */
export const shortPieces = (at: Date): [day: string, time: string] => [day.format(at), minute.format(at)];

/** The same as one: "25 Nov 2026, 14:05 CET". */
export const shortText = (at: Date): string => shortPieces(at).join(', ');
