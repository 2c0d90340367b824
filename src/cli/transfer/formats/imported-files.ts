import { dirname, extname, join } from 'node:path/posix';
import { slugifyAny } from '../../../lib/slug.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { decoded } from './addresses.ts';

/** Folders above a file by which it can be named. */
const MAX_FOLDERS = 6;

const withoutEnding = (path: string): string =>
  (/^\.(?:md|mdx|markdown)$/i.test(extname(path)) ? path.slice(0, -extname(path).length) : path)
    .replace(/(?:^|\/)(?:index)?$/i, '')
    .toLowerCase();

/** The post of a file: what it wishes to have for a slug, or has written down. */
interface Target {
  post: ImportItem;
  /** The names of the folders above it. */
  folders: readonly string[];
  /** What may stand ahead of its name in the address that its page had: those folders, its category and tags. */
  ahead: ReadonlySet<string>;
  /** The months (`2020/05`) of its date, wherever in the world that was meant; undefined: it has none. */
  months: readonly string[] | undefined;
  slug: string;
  isWritten: boolean;
}

/** A year, a month and perhaps a day, as parts of an address ahead of the name of a post, and what is ahead of them. */
const DATED = /^(?:(.+)\/)?(\d{4})\/(\d{1,2})(?:\/\d{1,2})?$/;

const DAY_MS = 86_400_000;

function monthsOf({ publishedAt }: ImportItem): string[] | undefined {
  const at = publishedAt == null ? Number.NaN : Date.parse(publishedAt);
  if (Number.isNaN(at)) return undefined;
  return [-DAY_MS, 0, DAY_MS].map((more) => new Date(at + more).toISOString().slice(0, 7).replace('-', '/'));
}

/** The path of an address of a page, without what a server adds: `/a/b/`, `/a/b.html` and `/a/b/index.html` are one page. */
const pageOf = (address: string): string =>
  decoded(address.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '')
    .replace(/(?:\/index)?\.html?$/i, '')
    .replace(/^\/+|\/+$/g, '')
    .toLowerCase();

/** Of a slug with a number, which is also given where this is taken. */
const baseOf = (slug: string): string | undefined => /^(.+)-\d+$/.exec(slug)?.[1];

/** What a link in a text leads to. */
export interface Reference {
  /** A file, by a path or name of it, or the page that was made of one, by its path on the site. */
  kind: 'file' | 'page';
  target: string;
  /** Where the file of the text lies. */
  from: string;
}

/** What the service gives posts, or has given them, for a slug, by their sources. */
export type SlugsOf = (posts: readonly ImportItem[]) => Promise<ReadonlyMap<string, string>>;

/** The slugs of the posts of a folder, by the ways in which others name their files. */
export class ImportedFiles {
  readonly #byPlace = new Map<string, Target>();
  /** By the end of its path; null where several files have it. */
  readonly #byEnd = new Map<string, Target | null>();
  /** The posts that would have a slug, or had it and lead from it. */
  readonly #claimed = new Map<string, Target[]>();
  /** By the address that it declares; null where several do. */
  readonly #byAddress = new Map<string, Target | null>();
  readonly #references: Reference[] = [];
  #given: ReadonlyMap<string, string> | undefined;

  /** `addresses`: those that its page had, as it says itself. */
  add(at: string, post: ImportItem, addresses: readonly string[] = []): void {
    const { source, slug, slugHint, oldSlugs = [], title, category, tags = [] } = post;
    const wished = slug ?? slugHint;
    if (wished === undefined) return;
    const place = withoutEnding(at);
    const names = place.split('/').filter(Boolean);
    const folders = names.slice(0, -1);
    const target = {
      post: { source, slugHint: wished, title: title ?? wished },
      folders,
      ahead: new Set([...folders, 'blog', ...[category ?? '', ...tags].map((name) => slugifyAny(name))]),
      months: monthsOf(post),
      slug: wished,
      isWritten: slug !== undefined,
    };
    for (const claimed of new Set([wished, ...oldSlugs])) {
      const claimants = this.#claimed.get(claimed);
      if (claimants) claimants.push(target);
      else this.#claimed.set(claimed, [target]);
    }
    for (const page of new Set(addresses.map(pageOf)))
      this.#byAddress.set(page, this.#byAddress.has(page) ? null : target);
    this.#byPlace.set(place, target);
    for (let n = 1; n <= Math.min(MAX_FOLDERS, names.length); n++) {
      const end = names.slice(-n).join('/');
      this.#byEnd.set(end, this.#byEnd.has(end) ? null : target);
    }
  }

  /** Writes a reference down, which is found before all files are known. */
  refer(reference: Reference): void {
    this.#references.push(reference);
  }

  /** Finds out what the posts that are referred to get for a slug: another post of the blog may have the one that they wish. */
  async ask(slugsOf: SlugsOf): Promise<void> {
    const targets = this.#references.flatMap((reference) => this.#meant(reference) ?? []);
    const wishing = [...new Set(targets)].filter(({ isWritten }) => !isWritten);
    const bases = [...new Set(wishing.map(({ slug }) => baseOf(slug)))];
    // Those that may take the slug of one of them, when another post of the blog has the one that they wish.
    const others = bases.flatMap((base) => this.#claimantsOf(base).filter(({ isWritten }) => !isWritten));
    const asked = new Set([...wishing, ...others]);
    const posts = [...asked].map(({ post }) => post);
    this.#given = posts.length === 0 ? new Map() : await slugsOf(posts);
  }

  /** The slug of the post that is meant; undefined where there is none, or which of several it gets is not known yet. */
  slugOf(reference: Reference): string | undefined {
    const meant = this.#meant(reference);
    if (meant === undefined || meant.isWritten || !this.#given) return meant?.slug;
    const given = this.#given.get(meant.post.source);
    return given !== undefined && this.#isFor(meant, meant.slug) && this.#isFor(meant, given) ? given : undefined;
  }

  /** Whether no other post of the folder may get this slug: none would have it, or come to it because the one that it would have is taken. */
  #isFor(target: Target, slug: string): boolean {
    if (this.#claimantsOf(slug).some((other) => other !== target)) return false;
    const base = baseOf(slug);
    const others = this.#claimantsOf(base);
    const [other] = others;
    if (others.length > 1) return false;
    if (other === undefined || other === target) return true;
    return other.isWritten || other.slug !== base || this.#given?.get(other.post.source) === base;
  }

  #claimantsOf(slug: string | undefined): readonly Target[] {
    return (slug !== undefined && this.#claimed.get(slug)) || [];
  }

  #meant({ kind, target, from }: Reference): Target | undefined {
    if (kind === 'page') return this.#atAddress(target);
    const wanted = withoutEnding(target.replace(/^\/+/, ''));
    if (wanted === '') return undefined;
    const beside = target.startsWith('/') ? undefined : this.#byPlace.get(join(dirname(from), wanted).toLowerCase());
    const file = beside ?? this.#byEnd.get(wanted.replace(/^(?:\.\.?\/)+/, ''));
    return this.#only(file ?? undefined);
  }

  /** Of a post that has no slug of its own, only one that nothing else of the folder claims. */
  #only(meant: Target | undefined): Target | undefined {
    return meant && (meant.isWritten || this.#claimantsOf(meant.slug).length === 1) ? meant : undefined;
  }

  /**
   * The post whose page had this path on its site: it says so, or the end of the path is that of the path of its file, or behind the name of
   * its folder or the month of its date the path has its slug; and ahead of that is nothing that is not of the post. A name alone may be that
   * of a page of any kind.
   */
  #atAddress(path: string): Target | undefined {
    const page = pageOf(path);
    const declared = this.#byAddress.get(page);
    if (declared !== undefined) return this.#only(declared ?? undefined);
    const names = page.split('/');
    if (names.length < 2) return undefined;
    for (let n = Math.min(MAX_FOLDERS, names.length); n > 1; n--) {
      const file = this.#byEnd.get(names.slice(-n).join('/'));
      if (file === undefined) continue;
      return file && names.slice(0, -n).every((name) => file.ahead.has(name)) ? this.#only(file) : undefined;
    }
    const [target, ...others] = this.#claimantsOf(slugifyAny(names.at(-1) ?? ''));
    if (target === undefined || others.length > 0) return undefined;
    const [, ahead = '', year, month = ''] = DATED.exec(names.slice(0, -1).join('/')) ?? [];
    const isDated = year !== undefined && target.months?.includes(`${year}/${month.padStart(2, '0')}`) !== false;
    const isInFolder = names.at(-2) === target.folders.at(-1);
    const rest = isDated ? ahead.split('/').filter(Boolean) : names.slice(0, -2);
    return (isDated || isInFolder) && rest.every((name) => target.ahead.has(name)) ? target : undefined;
  }
}
