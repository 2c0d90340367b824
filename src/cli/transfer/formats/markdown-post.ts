import { basename, dirname, extname } from 'node:path/posix';
import { type FrontMatter, FrontMatterError, parseFrontMatter } from '../../../lib/front-matter.ts';
import { readLooseDate } from '../../../lib/loose-date.ts';
import { cutText, firstHeading } from '../../../lib/markdown-text.ts';
import { isSlug, slugify } from '../../../lib/slug.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { noteFiles } from './addresses.ts';
import { MARK, MARK_VERSION, readExported } from './exported-post.ts';
import { Fit, MAX, oneLine, type ReadItem, type ReadPost, storable } from './fit.ts';
import { withReferences } from './references.ts';
import { withTagsShown } from './template-tags.ts';

interface Place {
  /** Relative to the imported folder, with '/'. */
  path: string;
  /** What the sources call that folder. */
  folder: string;
  /** Where the file lies, by the folder's own name. */
  at: string;
  /** The slug of the post that a reference means, as far as it is known. */
  referred?: (target: string) => string | undefined;
}

/** Whether a folder of this name is above the file, in Jekyll and Hexo at any depth. */
const isIn = (name: '_posts' | '_drafts', at: string): boolean => `/${at}`.includes(`/${name}/`);

/** Reads values out of front matter of many dialects, and writes down what does not fit. */
class Reader extends Fit {
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
}

/** Whether a value says yes or no, also in quotes or in the words of YAML 1.1, which other systems read; else undefined. */
function flagOf(value: unknown): boolean | undefined {
  const text = typeof value === 'boolean' ? String(value) : (textOf(value) ?? '');
  if (/^(?:true|yes|y|on|1)$/i.test(text)) return true;
  return /^(?:false|no|n|off|0)$/i.test(text) ? false : undefined;
}

/** Whether a field `draft` makes a draft. So does what cannot be understood: what was published by mistake has been read. */
const saysDraft = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && flagOf(value) !== false;

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOf(value[0]);
  if (value instanceof Map)
    return textOf(['name', 'url', 'src', 'image', 'path', 'teaser'].map((name) => value.get(name)).find(Boolean));
  return oneLine(value);
}

/** Where the post lies: the file, or of `index.md` in a folder, the folder. */
function placeOf(path: string): string {
  const isIndex = /^index$/i.test(basename(path, extname(path)));
  return isIndex && !['.', ''].includes(dirname(path)) ? dirname(path) : path;
}

/** The folder that says what the post is about: those of Jekyll that say only that it is a post (`_posts`) do not. */
function folderOf(path: string, folder: string): string {
  const named = dirname(placeOf(path))
    .split('/')
    .findLast((name) => name !== '.' && !name.startsWith('_'));
  return named ?? (folder.startsWith('_') ? 'Blog' : folder);
}

/** The file's own name; of `index.md` in a folder, the folder's. */
function nameOf(path: string): string {
  const place = placeOf(path);
  return basename(place, place === path ? extname(path) : '');
}

const HOST = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;
/** What a server shows of a folder: no part of its address. */
const INDEX = /^index(?:\.(?:html?|php|md))?$/i;

/** The last part of an address's path as a slug; '' for one that a program fills in (`/:year/:title/`). */
function lastPart(address: string): string {
  const [path = ''] = address.replace(HOST, '').split(/[?#]/, 1);
  if (/[:{]/.test(path)) return '';
  const parts = path.split('/').filter(Boolean);
  const last = parts.at(INDEX.test(parts.at(-1) ?? '') ? -2 : -1) ?? '';
  return slugify(last.replace(/\.(?:html?|php|md)$/i, ''));
}

/** The date that Jekyll has before the name of a file is no part of the address. */
const withoutDate = (name: string): string => name.replace(/^\d{4}-\d{1,2}-\d{1,2}-(?=.)/, '');

/**
 * A slug made from the path or from the old address is a hint: which of two files of one name is `-2` is for the service to say,
 * since it knows which one came first. Said here, one more file would change the addresses of others.
 */
function slugOf(reader: Reader, path: string): { slug: string } | { slugHint: string } {
  const given = reader.text('slug');
  if (given !== undefined && isSlug(given)) return { slug: given };
  // A slug may be written as an address: its last part counts.
  const made = slugify(given?.split('/').filter(Boolean).at(-1) ?? '');
  if (given !== undefined) reader.note(made ? `slug ${given} made ${made}` : `slug ${given} cannot be one`);
  if (made) return { slug: made };
  return {
    slugHint: lastPart(reader.text('permalink', 'url') ?? '') || slugify(withoutDate(nameOf(path))) || 'post',
  };
}

/** Addresses that led to it as well (`aliases` of Hugo, `redirect_from` of Jekyll), by their last parts. */
function oldSlugsOf(reader: Reader, present: string): Pick<ImportItem, 'oldSlugs'> {
  const old = [...reader.list('aliases', 'alias'), ...reader.list('redirect_from')].map(lastPart);
  const oldSlugs = [...new Set(old)].filter((slug) => slug !== '' && slug !== present);
  return oldSlugs.length > 0 ? { oldSlugs: oldSlugs.slice(0, 1000) } : {};
}

const IMAGES =
  'image cover coverimage cover_image coverimageurl hero thumbnail images header featured_image featuredimage feature_image og_image banner'.split(
    ' ',
  );

function imageOf(reader: Reader): Pick<ImportItem, 'coverImageUrl' | 'coverImageAlt'> {
  const value = reader.value(...IMAGES);
  const alt =
    (value instanceof Map ? textOf(value.get('alt')) : undefined) ??
    reader.text('imagealt', 'image_alt', 'coverimagealt', 'alt');
  return reader.image(textOf(value), alt);
}

function tagsOf(reader: Reader): string[] {
  return reader.tags([...reader.list('tags', 'tag', 'keywords'), ...reader.list('categories').slice(1)]);
}

/** From when on Hugo shows a post no more. */
const ENDS = ['expirydate', 'unpublishdate'];

function publishedAtOf(reader: Reader, { path, at }: Place): string | undefined {
  if (isIn('_drafts', at) || saysDraft(reader.value('draft')) || flagOf(reader.value('published')) === false) {
    reader.note('a draft');
    return undefined;
  }
  // Of two dates the one from which on it is shown counts (`publishDate` of Hugo), not that which is shown with it.
  const shownFrom = ['publishdate', 'publish_date', 'publishedat', 'published_at', 'pubdate'];
  if (reader.value(...ENDS) !== undefined) {
    reader.note('is not shown for ever: imported as a draft');
    return undefined;
  }
  const inName = /^\d{4}-\d{2}-\d{2}(?=-)/.exec(nameOf(path))?.[0];
  const date = reader.date(...shownFrom, 'date') ?? readLooseDate(inName ?? '');
  if (date === undefined) reader.note('no date: imported as a draft');
  return date;
}

/** Jekyll reads several names in one line as several, where others write one of several words. */
function asJekyllReads(fields: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const lines = [...fields].filter(
    ([name, value]) => ['categories', 'tags'].includes(name) && typeof value === 'string',
  );
  return new Map([...fields, ...lines.map(([name, value]) => [name, String(value).split(/[\s,]+/)] as const)]);
}

function build(place: Place, { fields, body: raw }: FrontMatter): ReadPost {
  const { path, folder, at, referred } = place;
  const isJekyll = isIn('_posts', at) || isIn('_drafts', at);
  const reader = new Reader(isJekyll ? asJekyllReads(fields) : fields);
  const { notes } = reader;
  const shown = withTagsShown(storable(raw).replace(/^\n+/, ''), isJekyll);
  const body = referred ? withReferences(shown, referred, reader) : shown;
  if (raw.includes('\0')) notes.push('NUL characters left out');
  if (body.length > MAX.body) throw new FrontMatterError(`the text has more than ${MAX.body} characters`);
  noteFiles(reader, body);
  const title = reader.text('title') ?? firstHeading(body) ?? nameOf(path);
  const category = reader.text('category', 'categories') ?? folderOf(path, folder);
  const excerpt = reader.text('excerpt', 'description', 'summary');
  const author = reader.text('author', 'authors');
  let publishedAt = publishedAtOf(reader, place);
  if (publishedAt !== undefined && body.trim() === '') {
    notes.push('no text: imported as a draft');
    publishedAt = undefined;
  }
  const updatedAt = reader.date('updated', 'updatedat', 'updated_at', 'lastmod', 'last_modified_at', 'modified');
  const featured = flagOf(reader.value('featured')) === true;
  const slug = slugOf(reader, path);
  const post: ImportItem = {
    source: `${folder}/${path}`,
    ...slug,
    ...oldSlugsOf(reader, 'slug' in slug ? slug.slug : slug.slugHint),
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

/** A file of our own export: values and body exactly as written. */
function buildExported({ path, folder }: Place, { fields, raw }: FrontMatter): ReadItem {
  const version = fields.get(MARK);
  if (version !== MARK_VERSION)
    throw new FrontMatterError(`${MARK}: ${String(version)} is a form that is not known here`);
  const record = [...fields].filter(([field]) => field !== MARK && field !== 'draft');
  // The export sets one empty line before the body.
  const item = readExported([...record, ['body', raw.replace(/^\n/, '')]], folder, `${folder}/${path}`);
  if ('post' in item && saysDraft(fields.get('draft'))) delete item.post.publishedAt;
  return item;
}

/** What is known of a file beside its text. */
type Around = Partial<Pick<Place, 'at' | 'referred'>>;

/**
 * A Markdown file as a post. `path` is relative to the imported folder, with '/'; `folder` is that folder's name and
 * the category of what lies directly in it; `at` is where the file lies, if that name was chosen. The reason why not,
 * for a file that cannot be one.
 */
export function readMarkdownPost(path: string, folder: string, text: string, around: Around = {}): ReadItem {
  const source = `${folder}/${path}`;
  if (/(?:^|\/)_index(?:\.\w+)?\.\w+$/i.test(path)) {
    return { source, outcome: 'skipped', reason: 'what Hugo shows above a list of posts, and only posts are imported' };
  }
  try {
    const front = parseFrontMatter(text);
    const place = { path, folder, at: source, ...around };
    return front.fields.has(MARK) ? buildExported(place, front) : build(place, front);
  } catch (error) {
    if (error instanceof FrontMatterError) return { source, outcome: 'failed', reason: error.message };
    throw error;
  }
}
