import { FrontMatterError } from '../../../lib/front-matter.ts';
import { readLooseDate } from '../../../lib/loose-date.ts';
import { cutText } from '../../../lib/markdown-text.ts';
import { Fit, oneLine } from './fit.ts';

/** Hugo's date of what has none is the first day of the year 1, in any zone. */
const isNone = (date: string | undefined): boolean => date !== undefined && date < '0001-01-03';

/** Reads values out of front matter of many dialects, and writes down what does not fit. */
export class Reader extends Fit {
  readonly #fields: ReadonlyMap<string, unknown>;
  constructor(fields: ReadonlyMap<string, unknown>) {
    super();
    this.#fields = fields;
  }

  /** The first of these fields that has a value. */
  value(...names: string[]): unknown {
    for (const name of names) {
      const value = this.#fields.get(name);
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return undefined;
  }

  /** Its text: of a list the first, of `{name: …}` the name. */
  text(...names: string[]): string | undefined {
    return textOf(this.value(...names));
  }

  list(...names: string[]): string[] {
    const value = this.value(...names);
    // Hexo has categories within each other as lists.
    const items: unknown[] = Array.isArray(value)
      ? value.flat(2)
      : typeof value === 'string'
        ? value.split(',')
        : [value];
    return items.flatMap((item) => textOf(item) ?? []);
  }

  /** Whether one of these fields has a value other than a date that is none; it may be no date. */
  hasDate(...names: string[]): boolean {
    return names.some((name) => this.value(name) !== undefined && !isNone(readLooseDate(this.text(name) ?? '')));
  }

  /** The first of these fields that has a date. */
  date(...names: string[]): string | undefined {
    for (const name of names) {
      const written = this.text(name);
      if (written === undefined) continue;
      const date = readLooseDate(written);
      if (date === undefined) throw new FrontMatterError(`${name} is not a date: ${cutText(written, 60)}`);
      if (!isNone(date)) return date;
    }
    return undefined;
  }
}

/** Whether a value says yes or no, also in quotes or in the words of YAML 1.1, which other systems read; else undefined. */
export function flagOf(value: unknown): boolean | undefined {
  const text = typeof value === 'boolean' ? String(value) : (textOf(value) ?? '');
  if (/^(?:true|yes|y|on|1)$/i.test(text)) return true;
  return /^(?:false|no|n|off|0)$/i.test(text) ? false : undefined;
}

/** All values of a list; of an empty one it itself, which says nothing that can be understood. */
export const eachOf = (value: unknown): unknown[] =>
  Array.isArray(value) && value.length > 0 ? value.flat(2) : [value];

/** Whether a field `draft` or `private`, or one of its values, makes a draft. So does what cannot be understood: what was published by mistake has been read. */
export const saysDraft = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !eachOf(value).every((one) => flagOf(one) === false);

export function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOf(value[0]);
  if (value instanceof Map)
    return textOf(['name', 'url', 'src', 'image', 'path', 'teaser'].map((name) => value.get(name)).find(Boolean));
  return oneLine(value);
}
