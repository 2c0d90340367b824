import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { AppError, type ErrorDetail, invalid } from '../../../contracts/errors.ts';
import { detailsOf, validatorCompiler } from '../../../platform/http/validators.ts';
import { cleanContent } from '../clean-content.ts';
import type { PostContent } from '../post.ts';
import { instantOf } from '../rules.ts';
import { FilterText, NOT_BLANK, STORABLE, WritablePost } from '../schemas.ts';
import { type CleanComment, cleanComment, ImportedComment, MAX_COMMENTS } from './comment-item.ts';
import { Uuid } from '../../../platform/http/index.ts';

/** Where an item comes from: by this, the next run knows it again. */
export const Source = FilterText(500, 'Path of the file; the same on every run.');

const Instant = Type.Optional(Type.String({ format: 'date-time' }));

/** One post to import. The author is named; publishedAt absent makes a draft. */
export const ImportItem = Type.Object(
  {
    ...WritablePost.properties,
    source: Source,
    id: Type.Optional(Uuid),
    slugHint: Type.Optional(WritablePost.properties.slug),
    oldSlugs: Type.Optional(Type.Array(Type.Required(WritablePost).properties.slug, { maxItems: 1000 })),
    author: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: NOT_BLANK })),
    authorEmail: Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: STORABLE })),
    publishedAt: Instant,
    archivedAt: Instant,
    firstPublicAt: Instant,
    createdAt: Instant,
    updatedAt: Instant,
    comments: Type.Optional(Type.Array(ImportedComment, { maxItems: MAX_COMMENTS })),
  },
  { additionalProperties: false },
);
export type ImportItem = Static<typeof ImportItem>;

/** What the fields say that are not those of a post that is written. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'UUID that a new post gets, so that a post keeps it when it moves. A post that is here under it already, from elsewhere than this source, is left alone.',
  slugHint: 'Slug to begin with when the source is new and `slug` is absent; `-2`, `-3` follow when it is taken.',
  oldSlugs: 'Slugs of its past, up to 1,000, that go on leading to it.',
  author:
    "Name of the author: a user who cannot sign in, made when there is none of this name. Absent: the importing editor's post, and on a later run whose it is.",
  authorEmail:
    'E-mail of the author. A user of this address with a blog role becomes the author; else `author` counts.',
  publishedAt: 'RFC 3339. Absent: a draft. In the future: scheduled.',
  archivedAt: 'RFC 3339, with `publishedAt`: the post is archived.',
  firstPublicAt:
    'RFC 3339: when it was public for the first time, at the latest at `publishedAt`, which is the default.',
  createdAt: 'RFC 3339. Default: now.',
  updatedAt: 'RFC 3339: the last change of content.',
  comments: `Up to ${MAX_COMMENTS} comments, a parent before its replies; those that are known stay as they are. Send the post again with further ones: it stays unchanged.`,
};

const anything = Object.fromEntries(
  Object.keys(ImportItem.properties).map((field) => [
    field,
    Type.Optional(Type.Unknown({ description: DESCRIPTIONS[field] ?? `As \`${field}\` of a post.` })),
  ]),
);

/** Body of the import. Items are looked at one by one, so that a bad one does not spoil the others. */
export const ImportBody = Type.Object(
  {
    posts: Type.Array(Type.Object({ ...anything, source: Source }), { minItems: 1, maxItems: 100 }),
    dryRun: Type.Optional(Type.Boolean({ description: 'Says what would be done and does nothing.' })),
  },
  { additionalProperties: false },
);
export type ImportBody = Omit<Static<typeof ImportBody>, 'posts'> & {
  posts: (Record<string, unknown> & { source: string })[];
};

/** An item that fits, in the form in which it is stored. */
export interface CleanItem {
  source: string;
  content: Partial<PostContent>;
  /** Not part of the hash: a source that is known keeps its slug. */
  slugHint: string | null;
  /** Not part of the hash: taken when the post is created. */
  id: string | null;
  oldSlugs: readonly string[];
  /** Null: the importing editor. */
  author: string | null;
  /** Lower case. */
  authorEmail: string | null;
  publishedAt: Date | null;
  archivedAt: Date | null;
  firstPublicAt: Date | null;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Changes when anything of the post changes. */
  hash: string;
  /** Not part of the hash: they have sources of their own. */
  comments: readonly CleanComment[];
}

const check = validatorCompiler({ schema: ImportItem, httpPart: 'body' });

function findings(item: unknown): ErrorDetail[] {
  const fits = check(item);
  return fits === true ? [] : detailsOf(fits.error, 'body');
}

export const sentence = (details: readonly ErrorDetail[]): string =>
  details.map((d) => `${d.path.replace(/^body\./, '')} ${d.message}`).join('; ');

function timesOf(item: ImportItem) {
  const at = (field: 'publishedAt' | 'archivedAt' | 'firstPublicAt' | 'createdAt' | 'updatedAt') =>
    item[field] === undefined ? null : instantOf(item[field], field);
  const times = {
    publishedAt: at('publishedAt'),
    archivedAt: at('archivedAt'),
    firstPublicAt: at('firstPublicAt'),
    createdAt: at('createdAt'),
    updatedAt: at('updatedAt'),
  };
  if (times.archivedAt !== null && times.publishedAt === null) {
    throw invalid({ path: 'archivedAt', message: 'needs publishedAt: what was never published is a draft' });
  }
  return times;
}

function clean(item: ImportItem): CleanItem {
  const { source, id, slugHint = null, oldSlugs, author, authorEmail, comments = [], ...rest } = item;
  const { publishedAt: _p, archivedAt: _a, firstPublicAt: _f, createdAt: _c, updatedAt: _u, ...fields } = rest;
  const cleaned = {
    source,
    content: cleanContent(fields, ''),
    oldSlugs: [...new Set(oldSlugs)].toSorted(),
    author: author?.trim() ?? null,
    authorEmail: authorEmail?.trim().toLowerCase() ?? null,
    ...timesOf(item),
  };
  const sorted = { ...cleaned, content: Object.entries(cleaned.content).toSorted(([a], [b]) => (a < b ? -1 : 1)) };
  const hash = createHash('sha256').update(JSON.stringify(sorted)).digest('base64url');
  return {
    ...cleaned,
    id: id?.toLowerCase() ?? null,
    slugHint,
    hash,
    comments: comments.map((c, at) => cleanComment(c, `comments.${at}`)),
  };
}

/** The item by the same rules as create and edit, or the reason why not, naming the fields. */
export function readItem(item: ImportBody['posts'][number]): CleanItem | { reason: string } {
  const details = findings(item);
  if (details.length > 0) return { reason: sentence(details) };
  try {
    return clean(item);
  } catch (error) {
    if (error instanceof AppError && error.details) return { reason: sentence(error.details) };
    throw error;
  }
}
