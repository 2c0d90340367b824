import { HEADING_ID_MAX, nthSlug, slugify, slugifyAny } from '../../../lib/slug.ts';

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

/** An id of the writer's choice, as the systems allow it that a blog comes from (`fn:1`, `über-uns`). */
export const ID = /^[^\s\p{C}"'`<>&{}]{1,120}$/u;

/** The id that GitHub and those who follow it make of a text, by which a table of contents may lead to it. */
const idElsewhere = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** The id that renderers before the sixth made of a text, of which they kept the Latin letters alone. */
const idBefore = (text: string): string => slugify(text, HEADING_ID_MAX) || 'section';

/** Other names of ids; those that several have are numbered by `nth`. */
class Aliases {
  readonly #ids = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #nth: (alias: string, n: number) => string;

  constructor(nth: (alias: string, n: number) => string) {
    this.#nth = nth;
  }

  add(alias: string, id: string): void {
    const n = (this.#counts.get(alias) ?? 0) + 1;
    this.#counts.set(alias, n);
    const written = n === 1 ? alias : this.#nth(alias, n);
    if (!this.#ids.has(written)) this.#ids.set(written, id);
  }

  get(alias: string): string | undefined {
    return this.#ids.get(alias);
  }
}

/** Gives each heading an id of its own, made of its text unless the writer chose one. */
export class Headings {
  readonly toc: TocEntry[] = [];
  /** How often each base was asked for. */
  readonly #seen = new Map<string, number>();
  readonly #taken = new Set<string>();
  readonly #elements = new Set<string>();
  readonly #elsewhere = new Aliases((alias, n) => `${alias}-${n - 1}`);
  readonly #before = new Aliases(nthSlug);

  /** Keeps an id that another element has, before any is chosen or made. */
  reserve(id: string): void {
    this.#elements.add(id);
    this.#taken.add(id);
  }

  /** Whether another element has it, to which its links lead: no heading is given it. */
  isElsewhere(id: string): boolean {
    return this.#elements.has(id);
  }

  /** Whether a heading or another element has it. */
  has(id: string): boolean {
    return this.#taken.has(id);
  }

  /** Keeps an id of the writer's choice for its heading, before ids are made; false when another has it. */
  choose(id: string): boolean {
    if (!ID.test(id) || this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }

  /** The id without the prefix: the one that was chosen, or made of the text. */
  add(level: number, text: string, chosen: string | undefined): string {
    const id = chosen ?? this.#free(text);
    this.#taken.add(id);
    this.toc.push({ level, text, id: ID_PREFIX + id });
    this.#elsewhere.add(idElsewhere(text), id);
    if (chosen === undefined) this.#before.add(idBefore(text), id);
    return id;
  }

  /** What a link leads to that was written for another system, or for an id of before; undefined where it leads to something as it is, or to no heading. */
  meantBy(place: string): string | undefined {
    if (this.#taken.has(place)) return undefined;
    const alias = place.toLowerCase();
    return this.#elsewhere.get(alias) ?? this.#before.get(alias);
  }

  #free(text: string): string {
    const base = slugifyAny(text, HEADING_ID_MAX) || 'section';
    let n = (this.#seen.get(base) ?? 0) + 1;
    while (this.#taken.has(nthSlug(base, n))) n++;
    const id = nthSlug(base, n);
    this.#seen.set(base, n);
    return id;
  }
}
