import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { printable } from './printable.ts';

export interface Column<Row> {
  title: string;
  of(row: Row): string | number | null;
  /** May be cut where the terminal is too narrow. Ids are not: they are copied. */
  cut?: boolean;
}

const GAP = '  ';
/** No column is cut to less. Characters. */
const LEAST = 12;
const ELLIPSIS = '…';

const fill = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)));

function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return cut + ELLIPSIS;
}

/** Widths that fit into `room`, as far as the columns that may be cut allow. */
function fitted(widths: readonly number[], mayCut: readonly boolean[], room: number): number[] {
  const fit = [...widths];
  const total = (): number => fit.reduce((sum, width) => sum + width, 0) + GAP.length * (fit.length - 1);
  while (total() > room) {
    // The widest gives way first.
    const candidates = fit.map((width, i) => (mayCut[i] && width > LEAST ? width : 0));
    const widest = Math.max(...candidates);
    if (widest === 0) break;
    const at = candidates.indexOf(widest);
    fit[at] = Math.max(LEAST, widest - (total() - room));
  }
  return fit;
}

export interface TableStyle {
  /** Columns of the terminal; absent where there is none: then nothing is cut. */
  width?: number | undefined;
  dim?: (text: string) => string;
}

/** Rows under their titles, in columns as wide as what is in them. Ends with a line's end. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: TableStyle = {}): string {
  const { width = Number.POSITIVE_INFINITY, dim = (text) => text } = style;
  const cells = rows.map((row) => columns.map((column) => printable(String(column.of(row) ?? '–'))));
  const titles = columns.map(({ title }) => title.toUpperCase());
  const needed = titles.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] as string)].map((text) => stringWidth(text))),
  );
  const widths = fitted(
    needed,
    columns.map(({ cut }) => cut === true),
    width,
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => fill(cutTo(cell, widths[i] as number), widths[i] as number))
      .join(GAP)
      .trimEnd();
  return [dim(line(titles)), ...cells.map(line)].map((text) => `${text}\n`).join('');
}

/** Names and what they are, one a line. */
export function fields(
  pairs: readonly (readonly [name: string, value: string | number | null])[],
  dim = (t: string) => t,
): string {
  const width = Math.max(...pairs.map(([name]) => stringWidth(name)));
  return pairs.map(([name, value]) => `${dim(fill(name, width))}${GAP}${printable(String(value ?? '–'))}\n`).join('');
}

/** Grey, on a terminal that has colours; `NO_COLOR` and a pipe have none. */
export const dimOn =
  (stream: NodeJS.WriteStream) =>
  (text: string): string =>
    styleText('dim', text, { stream });
