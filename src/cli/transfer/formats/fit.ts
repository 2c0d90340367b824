import formats from 'ajv-formats';
import { cutText } from '../../../lib/markdown-text.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';

/** Longest values that the service takes (contract: "Blog", limits). Characters; `tags` is how many. */
export const MAX = {
  title: 200,
  category: 60,
  tag: 40,
  tags: 10,
  excerpt: 500,
  alt: 300,
  author: 100,
  seoTitle: 200,
  seoDescription: 500,
  url: 2000,
  body: 1_000_000,
  comment: 4000,
};

/** A post that was read, with what had to be changed or left out to make it fit. */
export interface ReadPost {
  post: ImportItem;
  notes: string[];
  /** Of a Markdown file: what it says itself that the address of its page was, or is. */
  addresses?: string[];
}

/** What was read but is not sent: left alone on purpose, or not to be held. */
export interface Unsent {
  source: string;
  outcome: 'skipped' | 'failed';
  reason: string;
}

export type ReadItem = ReadPost | Unsent;

/** A whole file that cannot be read, told to the user as one line. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** A value as one line of text without what cannot be stored; undefined when nothing is left. */
export function oneLine(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = storable(String(value)).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? undefined : text;
}

/** Without NUL (PostgreSQL cannot store it) and halves of surrogate pairs (UTF-8 cannot hold them). */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** A copy that is kept without the chunk of the file that it was cut out of. */
export const owned = (text: string): string => Buffer.from(text).toString();

/** RFC 3986, as the service checks it. */
const uri = formats.default.get('uri');
const isUri = (text: string): boolean => (typeof uri === 'function' ? uri(text) : (uri as RegExp).test(text));

/** An address of http or https as the service takes it; browsers take more than RFC 3986 allows, so it is encoded. */
function imageAddress(written: string): string | undefined {
  if (!/^https?:\/\//i.test(written) || !URL.canParse(written)) return undefined;
  const { href, origin } = new URL(written);
  const [before, behind] = href.startsWith(origin) ? [origin, href.slice(origin.length)] : ['', href];
  const encoded = behind
    .replaceAll(/%(?![0-9a-f]{2})/gi, '%25')
    .replaceAll(/[[\]{}|\\^`<>"]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const address = before + encoded;
  return address.length <= MAX.url && isUri(address) ? address : undefined;
}

/** Makes values fit, and writes down what it changed. */
export class Fit {
  readonly notes: string[] = [];

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  cut(text: string, max: number, what: string): string {
    if (text.length > max) this.note(`${what} cut to ${max} characters`);
    return cutText(text, max);
  }

  /** As `cut`, of a value that may be anything; an object to spread, empty when there is no text. */
  field<K extends keyof ImportItem>(name: K, value: unknown, max: number, what: string): { [P in K]?: string } {
    const text = oneLine(value);
    return (text === undefined ? {} : { [name]: this.cut(text, max, what) }) as { [P in K]?: string };
  }

  /** Tags without repeats, no longer and no more than the service takes. */
  tags(names: readonly string[]): string[] {
    const fitting = names.map((tag) => this.cut(tag, MAX.tag, `tag ${tag.slice(0, 20)}…`));
    const unique = [...new Map(fitting.map((tag) => [tag.toLowerCase(), tag])).values()];
    if (unique.length > MAX.tags) this.note(`tags after the first ${MAX.tags} left out`);
    return unique.slice(0, MAX.tags);
  }

  /** The image with its text, when a reader could load it. */
  image(url: string | undefined, alt: string | undefined): Pick<ImportItem, 'coverImageUrl' | 'coverImageAlt'> {
    if (url === undefined) return {};
    const address = imageAddress(url);
    if (address === undefined) {
      this.note(`image left out: ${cutText(url, 60)} is no address of http or https`);
      return {};
    }
    return {
      coverImageUrl: address,
      ...(alt ? { coverImageAlt: this.cut(alt, MAX.alt, 'image text') } : {}),
    };
  }
}
