import { printable } from './printable.ts';

/** More of a text is no help on a screen; `--json` has it. Lines, and characters of each (as many as are kept of a reply). */
const MOST_LINES = 40;
const LONGEST_LINE = 16_384;

const lineOf = (line: string): string =>
  line.length <= LONGEST_LINE
    ? printable(line)
    : `${printable(line.slice(0, LONGEST_LINE))}… (${line.length - LONGEST_LINE} more characters: --json)`;

/** A text that came from elsewhere, in its lines, as far as it is shown. Ends with a line's end, if there is any. */
export function longText(text: string): string {
  if (text === '') return '';
  const lines = text.split(/\r?\n/);
  const rest = lines.length - MOST_LINES;
  const shown = lines.slice(0, MOST_LINES).map(lineOf);
  return [...shown, ...(rest > 0 ? [`… (${rest} more lines: --json)`] : [])].map((line) => `${line}\n`).join('');
}
