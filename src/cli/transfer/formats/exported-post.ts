import { stringify } from 'yaml';
import { readLooseDate } from '../../../lib/loose-date.ts';
import { cutText } from '../../../lib/markdown-text.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { ExportedPost, ImportItem } from '../../../modules/blog/index.ts';
import { type ReadItem, UnreadableFile } from './fit.ts';

/** Marks the front matter of a file whose values and body are taken exactly as they are written. */
export const MARK = 'posthorn';
/** Version of that form. */
export const MARK_VERSION = 1;
/** Before the id of an exported post: its source in an import, whatever its file is called by then. */
const SOURCE = 'posthorn';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TIMES = new Set(['publishedAt', 'archivedAt', 'firstPublicAt', 'createdAt', 'updatedAt']);

/** Fields of an item by their lower-case names: front matter does not tell upper from lower case. */
const FIELDS: ReadonlyMap<string, keyof ImportItem> = new Map(
  (
    [
      'id',
      'source',
      'title',
      'slug',
      'slugHint',
      'oldSlugs',
      'excerpt',
      'body',
      'coverImageUrl',
      'coverImageAlt',
      'category',
      'tags',
      'seoTitle',
      'seoDescription',
      'featured',
      'publishedAt',
      'archivedAt',
      'firstPublicAt',
      'createdAt',
      'updatedAt',
      'author',
      'authorEmail',
      'comments',
    ] as (keyof ImportItem)[]
  ).map((field) => [field.toLowerCase(), field]),
);

/** Fields that can be empty or null, and keep which of both they are. */
const NULLABLE: ReadonlySet<string> = new Set(['coverImageAlt', 'seoTitle', 'seoDescription']);

/** Whether a field says nothing: absent, it is the same. */
const isEmpty = (field: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (value === '' && !NULLABLE.has(field)) ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** Times also as people write them; the service refuses what is none. */
const valueOf = (field: keyof ImportItem, value: unknown): unknown =>
  TIMES.has(field) && typeof value === 'string' ? (readLooseDate(value) ?? value) : value;

/**
 * A record of an export as an item, its values as they are: whether they fit is for the service to say. Known again by
 * `source`, else by `id`, else by the slug below `name`. `place` is what a record without any of them is called.
 */
export function readExported(record: Iterable<readonly [string, unknown]>, name: string, place: string): ReadItem {
  const notes: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [written, value] of record) {
    const field = FIELDS.get(written.toLowerCase());
    if (field === undefined) notes.push(`field ${cutText(written, 40)} is not known: left out`);
    else if (!isEmpty(field, value)) values[field] = valueOf(field, value);
  }
  const { id, slug } = values;
  const source =
    values['source'] ??
    (typeof id === 'string' ? `${SOURCE}/${id.toLowerCase()}` : undefined) ??
    (typeof slug === 'string' ? `${name}/${slug}` : undefined);
  if (typeof source !== 'string' || source.length > 500) {
    return { source: place, outcome: 'failed', reason: 'has no source, id or slug by which it is known again' };
  }
  if (values['comments'] !== undefined && !Array.isArray(values['comments'])) {
    return { source, outcome: 'failed', reason: 'comments must be a list' };
  }
  return { post: { ...values, source }, notes };
}

/**
 * The post as a Markdown file: its name and its text. The name is the slug, or `_` and the id where there is none, and
 * nothing else: it never leaves its folder. Throws UnreadableFile for a post without either.
 */
export function exportedFile(post: ExportedPost): { name: string; text: string } {
  const { body, ...fields } = post;
  const name = post.slug !== null && isSlug(post.slug) ? post.slug : UUID.test(post.id) ? `_${post.id}` : undefined;
  if (name === undefined || typeof body !== 'string') throw new UnreadableFile('a post without a slug, id or body');
  const written = Object.entries(fields).filter(([field, value]) => !isEmpty(field, value));
  const draft = post.publishedAt === null ? { draft: true } : {};
  const front = stringify(
    { [MARK]: MARK_VERSION, ...draft, ...Object.fromEntries(written) },
    {
      schema: 'core',
      lineWidth: 0,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
      blockQuote: false,
      doubleQuotedMinMultiLineLength: Infinity,
    },
  );
  return { name: `${name}.md`, text: `---\n${front}---\n\n${body}` };
}
