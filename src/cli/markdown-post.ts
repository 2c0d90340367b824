import { basename, dirname, extname } from 'node:path/posix';
import { type FrontMatter, FrontMatterError, parseFrontMatter } from '../lib/front-matter.ts';
import { readLooseDate } from '../lib/loose-date.ts';
import { cutText, firstHeading } from '../lib/markdown-text.ts';
import { isSlug, slugify } from '../lib/slug.ts';
import type { ImportItem } from '../modules/blog/index.ts';

/** Longest values that the service takes (contract: "Blog", limits). */
const MAX = {
  title: 200,
  category: 60,
  tag: 40,
  tags: 10,
  excerpt: 500,
  alt: 300,
  author: 100,
  url: 2000,
  body: 1_000_000,
};

/** One file as a post, with what had to be changed or left out to make it fit. */
export interface MarkdownPost {
  /** With `slug` when the front matter has one, with `slugHint` made from the path when not. */
  post: ImportItem;
  notes: string[];
}

/** Reads values out of front matter of many dialects, and writes down what does not fit. */
class Reader {
  readonly notes: string[] = [];
  readonly #fields: ReadonlyMap<string, unknown>;
  constructor(fields: ReadonlyMap<string, unknown>) {
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
    const items: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
    return items.flatMap((item) => textOf(item) ?? []);
  }

  date(...names: string[]): string | undefined {
    const written = this.text(...names);
    if (written === undefined) return undefined;
    const date = readLooseDate(written);
    if (date === undefined) throw new FrontMatterError(`${names[0]} is not a date: ${cutText(written, 60)}`);
    return date;
  }

  cut(text: string, max: number, what: string): string {
    if (text.length > max) this.notes.push(`${what} cut to ${max} characters`);
    return cutText(text, max);
  }
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOf(value[0]);
  if (value instanceof Map) return textOf(value.get('name') ?? value.get('url') ?? value.get('src'));
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).replaceAll('\0', '').replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return text === '' ? undefined : text;
}

/** The file's own name; of `index.md` in a folder, the folder's. */
function nameOf(path: string): string {
  const name = basename(path, extname(path));
  const folder = basename(dirname(path));
  return /^_?index$/i.test(name) && folder !== '.' && folder !== '' ? folder : name;
}

/**
 * A slug made from the path is a hint: which of two files of one name is `-2` is for the service to say, since it knows
 * which one came first. Said here, one more file would change the addresses of others.
 */
function slugOf(reader: Reader, path: string): { slug: string } | { slugHint: string } {
  const given = reader.text('slug');
  if (given !== undefined && isSlug(given)) return { slug: given };
  // A slug may be written as an address: its last part counts.
  const made = slugify(given?.split('/').filter(Boolean).at(-1) ?? '');
  if (given !== undefined) reader.notes.push(made ? `slug ${given} made ${made}` : `slug ${given} cannot be one`);
  return made ? { slug: made } : { slugHint: slugify(nameOf(path)) || 'post' };
}

function imageOf(reader: Reader): Pick<ImportItem, 'coverImageUrl' | 'coverImageAlt'> {
  const names = ['image', 'cover', 'coverimage', 'cover_image', 'coverimageurl', 'hero', 'thumbnail'];
  const value = reader.value(...names);
  const url = textOf(value);
  if (url === undefined) return {};
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url) || url.length > MAX.url) {
    reader.notes.push(`image left out: ${cutText(url, 60)} is no address of http or https`);
    return {};
  }
  const alt =
    (value instanceof Map ? textOf(value.get('alt')) : undefined) ??
    reader.text('imagealt', 'image_alt', 'coverimagealt', 'alt');
  return {
    coverImageUrl: new URL(url).href,
    ...(alt ? { coverImageAlt: reader.cut(alt, MAX.alt, 'image text') } : {}),
  };
}

function tagsOf(reader: Reader): string[] {
  const tags = reader
    .list('tags', 'tag', 'keywords')
    .map((tag) => reader.cut(tag, MAX.tag, `tag ${tag.slice(0, 20)}…`));
  const further = reader.list('categories').slice(1);
  const unique = [...new Map([...tags, ...further].map((tag) => [tag.toLowerCase(), tag])).values()];
  if (unique.length > MAX.tags) reader.notes.push(`tags after the first ${MAX.tags} left out`);
  return unique.slice(0, MAX.tags);
}

function publishedAtOf(reader: Reader, path: string): string | undefined {
  if (reader.value('draft') === true || reader.value('published') === false) {
    reader.notes.push('a draft');
    return undefined;
  }
  const inName = /^\d{4}-\d{2}-\d{2}(?=-)/.exec(basename(path))?.[0];
  const date = reader.date('date', 'publishedat', 'published_at', 'pubdate') ?? readLooseDate(inName ?? '');
  if (date === undefined) reader.notes.push('no date: imported as a draft');
  return date;
}

function build(source: string, path: string, folder: string, { fields, body: raw }: FrontMatter): MarkdownPost {
  const reader = new Reader(fields);
  const { notes } = reader;
  const body = raw.replaceAll('\0', '').replace(/^\n+/, '');
  if (raw.includes('\0')) notes.push('NUL characters left out');
  if (body.length > MAX.body) throw new FrontMatterError(`the text has more than ${MAX.body} characters`);
  const title = reader.text('title') ?? firstHeading(body) ?? nameOf(path);
  const category = reader.text('category', 'categories') ?? (dirname(path) === '.' ? folder : basename(dirname(path)));
  const excerpt = reader.text('excerpt', 'description', 'summary');
  const author = reader.text('author', 'authors');
  let publishedAt = publishedAtOf(reader, path);
  if (publishedAt !== undefined && body.trim() === '') {
    notes.push('no text: imported as a draft');
    publishedAt = undefined;
  }
  const updatedAt = reader.date('updated', 'updatedat', 'updated_at', 'lastmod', 'modified');
  const featured = reader.value('featured') === true;
  const post: MarkdownPost['post'] = {
    source,
    ...slugOf(reader, path),
    title: reader.cut(title, MAX.title, 'title'),
    body,
    category: reader.cut(category, MAX.category, 'category'),
    tags: tagsOf(reader),
    ...(excerpt ? { excerpt: reader.cut(excerpt, MAX.excerpt, 'excerpt') } : {}),
    ...(author ? { author: reader.cut(author, MAX.author, 'author') } : {}),
    ...(publishedAt ? { publishedAt } : {}),
    ...(updatedAt ? { updatedAt } : {}),
    ...(featured ? { featured } : {}),
    ...imageOf(reader),
  };
  return { post, notes };
}

/**
 * A Markdown file as a post. `path` is relative to the imported folder, with '/'; `folder` is that folder's name and
 * the category of what lies directly in it. The reason why not, for a file that cannot be one.
 */
export function readMarkdownPost(path: string, folder: string, text: string): MarkdownPost | { reason: string } {
  try {
    return build(`${folder}/${path}`, path, folder, parseFrontMatter(text));
  } catch (error) {
    if (error instanceof FrontMatterError) return { reason: error.message };
    throw error;
  }
}
