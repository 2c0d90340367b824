import { type Column, dimOn, fields, table } from './table.ts';

/** How results are told: for people, or as JSON. */
export interface PrintOptions {
  json?: boolean;
}

const { stdout } = process;

/** A document of its own. */
export const printJson = (value: unknown): void => void stdout.write(`${JSON.stringify(value, null, 2)}\n`);

/** One of many documents: NDJSON. */
export const printJsonLine = (value: unknown): void => void stdout.write(`${JSON.stringify(value)}\n`);

/** What is not the result itself. */
export const remark = (text: string): void => void process.stderr.write(`${text}\n`);

/** One thing: its fields, or with `--json` all that the service says of it. */
export function printOne(
  value: unknown,
  pairs: readonly (readonly [name: string, value: string | number | null])[],
  { json }: PrintOptions,
): void {
  if (json) printJson(value);
  else stdout.write(fields(pairs, dimOn(stdout)));
}

/** What was read of a list, and whether there is more. */
export interface Listed<Row> {
  data: readonly Row[];
  hasMore: boolean;
}

/** A list: a table, or with `--json` `{data, hasMore}`. `nouns` is what is said when there is nothing. */
export function printList<Row>(
  { data, hasMore }: Listed<Row>,
  columns: readonly Column<Row>[],
  nouns: string,
  { json }: PrintOptions,
): void {
  if (json) return printJson({ data, hasMore });
  if (data.length === 0) return remark(`No ${nouns}.`);
  stdout.write(table(columns, data, { width: stdout.columns, dim: dimOn(stdout) }));
  if (hasMore) remark(`There are more: --limit ${data.length * 10} shows more of them, --all every one.`);
}

/** What a command did, in a sentence; with `--json` what the service says of it. */
export function printDone(text: string, value: unknown, { json }: PrintOptions): void {
  if (json) printJson(value ?? { done: true });
  else stdout.write(`${text}\n`);
}
