import { InvalidArgumentError } from 'commander';
import { systemClock } from '../../lib/clock.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const durationOf = (text: string): number | null => {
  const [, number, unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (SECONDS[unit] ?? 1);
};

/** Seconds from `30m`, `24h`, `7d`. A number without a unit is refused: it may be meant in any of them. */
export function duration(text: string): number {
  const seconds = durationOf(text);
  if (seconds === null) throw new InvalidArgumentError('It is a number with a unit: 30m, 24h, 7d.');
  return seconds;
}

const isoOf = (text: string): string | null => {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return null;
  // Date takes the 30th of February for the 2nd of March.
  const day = new Date(`${text.slice(0, 10)}T00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text.slice(0, 10))) return null;
  const at = new Date(text.includes(':') ? text : `${text}T00:00`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};

/** An instant, in ISO 8601, of a day that there is; without a zone it is the local one. */
export function instant(text: string): string {
  const iso = isoOf(text);
  if (iso === null)
    throw new InvalidArgumentError('It is a time like 2026-01-31T09:00, or 2026-01-31T09:00Z, of a day that there is.');
  return iso;
}

/** An instant, or how long ago it was. */
export function pastInstant(text: string): string {
  const seconds = durationOf(text);
  const iso = seconds === null ? isoOf(text) : new Date(systemClock.now() - seconds * 1000).toISOString();
  if (iso === null)
    throw new InvalidArgumentError('It is a time like 2026-01-31T09:00, or how long ago: 30m, 24h, 7d.');
  return iso;
}

/** The words of a type of the API, all of them: one that is missing, or unknown to it, is an error of types. */
export const wordsOf = <T extends string>(words: Readonly<Record<T, unknown>>): readonly T[] =>
  Object.keys(words) as T[];

/** A whole number of at least one. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

/**
 * The address of a site, as it is written but for space around it. Others are made by adding to it, and everybody sees them: so it has no query or
 * fragment, not even an empty one, and no password.
 */
export function webAddress(text: string): string {
  const address = text.trim();
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address))
    throw new InvalidArgumentError('It is a whole address: https://blog.example.com.');
  const { username, password } = new URL(address);
  if (/[?#]/.test(address) || username !== '' || password !== '')
    throw new InvalidArgumentError('It has no user name, query or fragment: https://blog.example.com.');
  return address;
}

/** The options that were given, without those that were not. */
export function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
