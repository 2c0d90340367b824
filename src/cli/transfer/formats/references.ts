import { dirname, extname, join } from 'node:path/posix';
import { slugifyAny } from '../../../lib/slug.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { codeParts, decoded, told } from './addresses.ts';
import { CodeLines } from './code-lines.ts';
import type { Fit } from './fit.ts';
import { valuesOf } from './shown-tags.ts';

/** Where an address stands, `ref` and `relref` of Hugo, or `post_url` and `link` of Jekyll behind the address of the site. */
const REFERENCE =
  /(?<=\]\(<?|\]:[ \t]<?|href=["']?)(?:\{\{[ \t]*site\.(?:base)?url[ \t]*\}\}\/?){0,2}(?:\{\{[<%][ \t]*(?:rel)?ref[ \t]([^{}]*)[%>]\}\}|\{%-?[ \t]*(?:post_url|link)[ \t]([^{}]*)%\})/g;

/** Where an address stands, the path of a Markdown file and a place in it, as GitHub and several programs follow it. */
const FILE =
  /(?<=\]\(<?|\]:[ \t]<?|href=["']?)(?![a-z][a-z\d+.-]*:|\/\/)([^\s"'<>()#?{}=]+\.(?:md|mdx|markdown))(#[^\s"'<>()]*)?(?=[\s"'<>()]|$)/gi;

/**
 * Where an address stands, unless it is that of an image, a path on the site itself, of Jekyll behind the address of the site; then a query and
 * a place in it. Behind it may stand what is no end of one: to ask for that would go over the rest of a text once for each beginning.
 */
const PAGE =
  /(?<=(?<!!\[[^[\]]*)\]\(<?|\]:[ \t]<?|href=["']?)(?:\{\{[ \t]*site\.(?:base)?url[ \t]*\}\}){0,2}(\/(?![\s/])[^\s"'<>()#?{}]+)((?:\?[^\s"'<>()#{}]*)?(?:#[^\s"'<>(){}]*)?)([{}]?)/gi;

/** Files, of which none is a post. */
const OTHER_FILE = /\.(?!html?$)[a-z][a-z\d]{1,4}$/i;

/** As addresses are here, which a text has that was exported here. */
const OWN = /^\/blog(?:\/(?:[^/]*|(?:tag|category|author|-)\/.*))?$/;

/** Folders above a file by which it can be named. */
const MAX_FOLDERS = 6;

const withoutEnding = (path: string): string =>
  (/^\.(?:md|mdx|markdown)$/i.test(extname(path)) ? path.slice(0, -extname(path).length) : path)
    .replace(/(?:^|\/)(?:index)?$/i, '')
    .toLowerCase();

/** The post of a file: what it wishes to have for a slug, or has written down. */
interface Target {
  post: ImportItem;
  /** The name of the folder in which it lies. */
  folder: string | undefined;
  slug: string;
  isWritten: boolean;
}

/** What stands before the name of a post in an address with its date. */
const DATED = /(?:^|\/)\d{4}\/\d{1,2}(?:\/\d{1,2})?$/;

/** Of a slug with a number, which is also given where this is taken. */
const baseOf = (slug: string): string | undefined => /^(.+)-\d+$/.exec(slug)?.[1];

/** What the service gives posts, or has given them, for a slug, by their sources. */
export type SlugsOf = (posts: readonly ImportItem[]) => Promise<ReadonlyMap<string, string>>;

/** The slugs of the posts of a folder, by the ways in which others name their files. */
export class ImportedFiles {
  readonly #byPlace = new Map<string, Target>();
  /** By the end of its path; null where several files have it. */
  readonly #byEnd = new Map<string, Target | null>();
  /** The posts that would have a slug, or had it and lead from it. */
  readonly #claimed = new Map<string, Target[]>();
  readonly #references: [target: string, from: string][] = [];
  #given: ReadonlyMap<string, string> | undefined;

  add(at: string, { source, slug, slugHint, oldSlugs = [], title }: ImportItem): void {
    const wished = slug ?? slugHint;
    if (wished === undefined) return;
    const place = withoutEnding(at);
    const names = place.split('/').filter(Boolean);
    const target = {
      post: { source, slugHint: wished, title: title ?? wished },
      folder: names.at(-2),
      slug: wished,
      isWritten: slug !== undefined,
    };
    for (const claimed of new Set([wished, ...oldSlugs])) {
      const claimants = this.#claimed.get(claimed);
      if (claimants) claimants.push(target);
      else this.#claimed.set(claimed, [target]);
    }
    this.#byPlace.set(place, target);
    for (let n = 1; n <= Math.min(MAX_FOLDERS, names.length); n++) {
      const end = names.slice(-n).join('/');
      this.#byEnd.set(end, this.#byEnd.has(end) ? null : target);
    }
  }

  /** Writes a reference down, which is found before all files are known. */
  refer(target: string, from: string): void {
    this.#references.push([target, from]);
  }

  /** Finds out what the posts that are referred to get for a slug: another post of the blog may have the one that they wish. */
  async ask(slugsOf: SlugsOf): Promise<void> {
    const targets = this.#references.flatMap(([target, from]) => this.#meant(target, from) ?? []);
    const wishing = [...new Set(targets)].filter(({ isWritten }) => !isWritten);
    const bases = [...new Set(wishing.map(({ slug }) => baseOf(slug)))];
    // Those that may take the slug of one of them, when another post of the blog has the one that they wish.
    const others = bases.flatMap((base) => this.#claimantsOf(base).filter(({ isWritten }) => !isWritten));
    const asked = new Set([...wishing, ...others]);
    const posts = [...asked].map(({ post }) => post);
    this.#given = posts.length === 0 ? new Map() : await slugsOf(posts);
  }

  /** The slug of the post that a file at `from` means; undefined where there is none, or which of several it gets is not known yet. */
  slugOf(target: string, from: string): string | undefined {
    const meant = this.#meant(target, from);
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

  #meant(target: string, from: string): Target | undefined {
    const wanted = withoutEnding(target.replace(/^\/+/, ''));
    if (wanted === '') return undefined;
    const beside = target.startsWith('/') ? undefined : this.#byPlace.get(join(dirname(from), wanted).toLowerCase());
    const file = beside ?? this.#byEnd.get(wanted.replace(/^(?:\.\.?\/)+/, ''));
    const meant = file === undefined && target.startsWith('/') ? this.#atAddress(wanted) : file;
    return meant && (meant.isWritten || this.#claimantsOf(meant.slug).length === 1) ? meant : undefined;
  }

  /**
   * The post whose page had this address on its site: the end of it is that of the path of one file, or behind the name of its folder or a
   * date (`2020/05`) it has a slug that one post has.
   */
  #atAddress(address: string): Target | undefined {
    const names = address
      .replace(/\.html?$/, '')
      .split('/')
      .filter(Boolean);
    for (let n = Math.min(MAX_FOLDERS, names.length); n > 1; n--) {
      const file = this.#byEnd.get(names.slice(-n).join('/'));
      if (file !== undefined) return file ?? undefined;
    }
    const [target, ...others] = this.#claimantsOf(slugifyAny(names.at(-1) ?? ''));
    const isMeant = names.at(-2) === target?.folder || DATED.test(names.slice(0, -1).join('/'));
    return names.length > 1 && isMeant && others.length === 0 ? target : undefined;
  }
}

/**
 * A Markdown text in which links by tags of Hugo and Jekyll, by the paths of files, or by the paths that their pages had on the site, lead to
 * the pages of imported posts. Others stay as they are, and a note tells of them.
 */
export function withReferences(markdown: string, slugOf: (target: string) => string | undefined, fit: Fit): string {
  if (!/\{[{%]|\.(?:md|mdx|markdown)|(?:\]\(<?|\]:[ \t]<?|href=["']?)\//i.test(markdown)) return markdown;
  const missing = new Set<string>();
  const address = (tag: string, hugo?: string, jekyll?: string): string => {
    const values = valuesOf(hugo ?? jekyll ?? '');
    const written = values.get('path') ?? values.get('0');
    if (written === undefined) return tag;
    const [target = '', place] = written.split('#', 2);
    const hash = place ? `#${encodeURIComponent(place)}` : '';
    if (target === '' && hash !== '') return hash;
    const slug = slugOf(target);
    if (slug === undefined) missing.add(written);
    return slug === undefined ? tag : `/blog/${slug}${hash}`;
  };
  const page = (file: string, path: string, hash = ''): string => {
    const slug = slugOf(decoded(path));
    return slug === undefined ? file : `/blog/${slug}${hash}`;
  };
  const ofPage = (written: string, path: string, rest: string, behind: string): string => {
    if (behind !== '' || OTHER_FILE.test(path)) return written;
    // A name alone may be that of a page of any kind.
    const slug = /.\/./.test(path) ? slugOf(decoded(path)) : undefined;
    if (slug === undefined && !OWN.test(path)) missing.add(written);
    return slug === undefined ? written : `/blog/${slug}${rest}`;
  };
  const code = new CodeLines();
  const inLine = (line: string): string =>
    codeParts(line)
      .map(({ text, isCode }) =>
        isCode ? text : text.replaceAll(PAGE, ofPage).replaceAll(REFERENCE, address).replaceAll(FILE, page),
      )
      .join('');
  const text = markdown.split('\n').map((line) => (code.has(line) ? line : inLine(line)));
  told(fit, 'link', missing, 'it leads to no imported post');
  return text.join('\n');
}
