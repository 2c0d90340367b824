import { type FrontMatter, FrontMatterError, parseFrontMatter } from '../../../lib/front-matter.ts';
import { firstHeading } from '../../../lib/markdown-text.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { noteFiles } from './addresses.ts';
import { MARK, MARK_VERSION, readExported } from './exported-post.ts';
import { MAX, type ReadItem, type ReadPost, storable } from './fit.ts';
import { publishedAtOf } from './markdown-date.ts';
import { folderOf, isIn, nameOf, type Place, titleOfName } from './markdown-place.ts';
import { flagOf, Reader, saysDraft, textOf } from './markdown-reader.ts';
import { addressesOf, oldSlugsOf, slugOf } from './markdown-slug.ts';
import { withReferences } from './references.ts';
import { withTagsShown } from './template-tags.ts';

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

/** Jekyll reads several names in one line as several, where others write one of several words. */
function asJekyllReads(fields: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const lines = [...fields].filter(
    ([name, value]) => ['categories', 'tags'].includes(name) && typeof value === 'string',
  );
  return new Map([...fields, ...lines.map(([name, value]) => [name, String(value).split(/[\s,]+/)] as const)]);
}

/** The heading that the text begins with, as Jekyll takes it on GitHub; else it is made of the name of the file. */
function jekyllTitle(path: string, body: string): string {
  const [line = '', below = ''] = body.trimStart().split('\n', 2);
  const isUnderlined = /^(?:=+|-+)[ \t]*$/.test(below);
  const heading = isUnderlined ? firstHeading(`# ${line}`) : /^#{1,6}[ \t]/.test(line) ? firstHeading(line) : undefined;
  return heading ?? titleOfName(path);
}

/** A line of what Pelican and old Hexo have for front matter, without a mark before it, and the names of those that tell. */
const FIELD = /^["']?[\p{L}\p{N}_-]+["']?[ \t]*:(?:\s|$)/u;
const TELLING = /^["']?(?:title|status|draft|published|private|visibility|password)["']?[ \t]*:/i;

/** Whether fields begin the text, up to an empty line or the mark behind them; what goes on with one is indented or an item. */
function hasFields(body: string): boolean {
  const [first = ''] = body.trimStart().split(/\n(?:[ \t]*|-{3,}[ \t]*|;{3,}[ \t]*)(?:\n|$)/, 1);
  const lines = first.split('\n');
  return (
    FIELD.test(first) &&
    lines.every((line) => FIELD.test(line) || /^(?:\s|- )/.test(line)) &&
    lines.some((line) => TELLING.test(line))
  );
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
  const title = reader.text('title') ?? (isJekyll ? jekyllTitle(path, body) : (firstHeading(body) ?? nameOf(path)));
  const category = reader.text('category', 'categories') ?? folderOf(path, folder);
  const excerpt = reader.text('excerpt', 'description', 'summary');
  const author = reader.text('author', 'authors');
  let publishedAt = publishedAtOf(reader, place);
  if (publishedAt !== undefined && body.trim() === '') {
    notes.push('no text: imported as a draft');
    publishedAt = undefined;
  }
  if (publishedAt !== undefined && fields.size === 0 && hasFields(raw)) {
    notes.push('its fields have no mark before them and stand in the text: imported as a draft');
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
  const addresses = addressesOf(reader);
  return { post, notes, ...(addresses.length > 0 ? { addresses } : {}) };
}

/** A file of our own export: values and body exactly as written. */
function buildExported({ path, folder }: Place, { fields, raw }: FrontMatter): ReadItem {
  const version = fields.get(MARK);
  if (version !== MARK_VERSION)
    throw new FrontMatterError(`${MARK}: ${String(version)} is a form that is not known here`);
  const record = [...fields].filter(([field]) => field !== MARK && field !== 'draft');
  // The export sets one empty line before the body.
  const item = readExported([...record, ['body', raw.replace(/^\n/, '')]], folder, `${folder}/${path}`);
  if ('post' in item && saysDraft(fields.get('draft'))) {
    delete item.post.publishedAt;
    // What is archived was published.
    delete item.post.archivedAt;
  }
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
