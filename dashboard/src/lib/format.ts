const counted = new Intl.NumberFormat('en');
const percent = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
});

/** "12,345". */
export const countText = (n: number): string => counted.format(n);

/** "12,345", and "10,000+" where counting stopped. */
export const countedText = (n: number, isExact: boolean): string => `${counted.format(n)}${isExact ? '' : '+'}`;

/** "98.7%", rounded down; a dash where there is nothing to speak of. Never "100%" when something failed. */
export const percentText = (share: number | null): string => (share === null ? '–' : percent.format(share));

const TIMES: readonly [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** "340 ms", "2.4 s", "3 h"; a dash for null. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  for (const [unit, size] of TIMES) if (ms >= size) return `${Number((ms / size).toPrecision(2))} ${unit}`;
  return `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`;
}

const SIZES: readonly [unit: string, bytes: number][] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];

/** "1.2 GB". */
export function bytesText(bytes: number): string {
  for (const [unit, size] of SIZES) if (bytes >= size) return `${Number((bytes / size).toPrecision(3))} ${unit}`;
  return `${bytes} B`;
}

/** "Endpoint" for "endpoint": as a sentence or a title begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** With a full stop at its end, unless it ends already as sentences do. */
export const sentenceOf = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** "1 endpoint", "3 endpoints"; the plural where it is not made with s. */
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${counted.format(n)} ${n === 1 ? one : many}`;
