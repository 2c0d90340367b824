import type { Token } from 'markdown-it';
import { REFERENCE } from '../addresses.ts';
import { type Heading, type Markdown, numberHeadings, textOf } from '../render.ts';

/** What stands between one heading and the next, or in one row of a table, as text without markup. */
export interface Passage {
  /** Of the page, with the id of the heading; of what stands under the title, without. Rows have that of what they are in. */
  address: string;
  /** The title of the page. */
  page: string;
  /** Empty under the title. */
  heading: string;
  text: string;
}

/** Deeper headings begin no passage. */
const DEEPEST = 3;

/** What a reader sees of a token. */
function seenOf(token: Token): string {
  if (token.type === 'inline') return textOf(token);
  return token.type === 'fence' || token.type === 'code_block' ? token.content : '';
}

const joined = (texts: readonly string[]): string => texts.join(' · ').replaceAll(/\s+/g, ' ');

/** Collects what a page says, heading by heading and row by row. */
class Pages {
  readonly passages: Passage[] = [];
  readonly #page: Omit<Passage, 'text'>;
  #at: Omit<Passage, 'text'>;
  #seen: string[] = [];
  #row: string[] | null = null;

  constructor(page: Omit<Passage, 'text'>) {
    this.#page = this.#at = page;
  }

  begin({ text: heading, id }: Heading): void {
    this.end();
    this.#at = { ...this.#page, address: `${this.#page.address}#${id}`, heading };
  }

  add(text: string): void {
    // A heading is found by itself.
    if (text === '' || text === this.#at.heading || text === this.#at.page) return;
    this.#seen.push(text);
    this.#row?.push(text);
  }

  beginRow(): void {
    this.#row = [];
  }

  endRow(): void {
    this.passages.push({ ...this.#at, text: joined(this.#row ?? []) });
    this.#row = null;
  }

  end(): void {
    this.passages.push({ ...this.#at, text: joined(this.#seen) });
    this.#seen = [];
  }
}

/** The passages of a page. A table is in the passage of its heading as well, so that words of several rows are found together. */
export function passagesOf(markdown: Markdown, text: string, address: string): Passage[] {
  const tokens = markdown.parse(text, {});
  const [title, ...headings] = numberHeadings(tokens);
  const pages = new Pages({ address, page: title?.text ?? '', heading: '' });
  let isTitle = true;
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      const heading = isTitle ? undefined : headings.shift();
      if (heading && heading.level <= DEEPEST) pages.begin(heading);
      isTitle = false;
    } else if (token.type === 'tr_open') pages.beginRow();
    else if (token.type === 'tr_close') pages.endRow();
    else pages.add(seenOf(token).trim());
  }
  pages.end();
  return pages.passages;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
}

/** The operations of an OpenAPI document, each with its place in the reference. */
export function operationsOf(document: string): Passage[] {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description = '', tags }]) => ({
      // As Swagger UI names it.
      address: `${REFERENCE}#/${encodeURIComponent(tags[0])}/${operationId}`,
      page: 'API reference',
      heading: `${method.toUpperCase()} ${path}`,
      text: `${summary}. ${description}`.trim(),
    })),
  );
}
