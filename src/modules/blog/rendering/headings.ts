import { nthSlug, slugify } from '../../../lib/slug.ts';

/** A heading as an entry of a table of contents. */
export interface TocEntry {
  /** 1 to 6. */
  level: number;
  text: string;
  /** What a link within the page leads to, without `#`. */
  id: string;
}

/** Every id of a rendering begins so: an id of the writer's choice must not shadow what the page's own scripts look up. */
export const ID_PREFIX = 'user-content-';

/** Longest id. Characters. */
const ID_MAX = 80;

/** Gives each heading an id of its own, made of its text. */
export class Headings {
  readonly toc: TocEntry[] = [];
  /** How often each base was asked for. */
  readonly #seen = new Map<string, number>();
  readonly #taken = new Set<string>();

  /** The id without the prefix. */
  add(level: number, text: string): string {
    const base = slugify(text, ID_MAX) || 'section';
    let n = (this.#seen.get(base) ?? 0) + 1;
    while (this.#taken.has(nthSlug(base, n))) n++;
    const id = nthSlug(base, n);
    this.#seen.set(base, n);
    this.#taken.add(id);
    this.toc.push({ level, text, id: ID_PREFIX + id });
    return id;
  }
}
