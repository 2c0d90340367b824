import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { AppError, type ErrorDetail } from '../../../contracts/errors.ts';
import { detailsOf, validatorCompiler } from '../../../platform/http/validators.ts';
import { cleanContent } from '../clean-content.ts';
import type { PostContent } from '../post.ts';
import { instantOf } from '../rules.ts';
import { FilterText, WritablePost } from '../schemas.ts';

/** Where an item comes from: by this, the next run knows it again. */
export const Source = FilterText(500, 'Path of the file; the same on every run.');

/** One post to import. The author is named; publishedAt absent makes a draft. */
export const ImportItem = Type.Object(
  {
    ...WritablePost.properties,
    source: Source,
    slugHint: Type.Optional(WritablePost.properties.slug),
    author: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })),
    publishedAt: Type.Optional(Type.String({ format: 'date-time' })),
    updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { additionalProperties: false },
);
export type ImportItem = Static<typeof ImportItem>;

const anything = Object.fromEntries(
  Object.keys(ImportItem.properties).map((field) => {
    const hint = 'Slug to begin with when the source is new and `slug` is absent; `-2`, `-3` follow when it is taken.';
    const description = field === 'slugHint' ? hint : `As \`${field}\` of a post.`;
    return [field, Type.Optional(Type.Unknown({ description }))];
  }),
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
  /** Null: the importing editor. */
  author: string | null;
  publishedAt: Date | null;
  updatedAt: Date | null;
  /** Changes when anything above changes. */
  hash: string;
}

const fits = validatorCompiler({ schema: ImportItem, method: 'POST', url: '', httpPart: 'body' });

function findings(item: unknown): ErrorDetail[] {
  if (fits(item) === true) return [];
  return detailsOf((fits as { errors?: Parameters<typeof detailsOf>[0] }).errors ?? [], 'body');
}

export const sentence = (details: readonly ErrorDetail[]): string =>
  details.map((d) => `${d.path.replace(/^body\./, '')} ${d.message}`).join('; ');

function clean(item: ImportItem): CleanItem {
  const { source, slugHint = null, author, publishedAt, updatedAt, ...fields } = item;
  const cleaned = {
    source,
    content: cleanContent(fields, ''),
    author: author?.trim() ?? null,
    publishedAt: publishedAt === undefined ? null : instantOf(publishedAt, 'publishedAt'),
    updatedAt: updatedAt === undefined ? null : instantOf(updatedAt, 'updatedAt'),
  };
  const sorted = { ...cleaned, content: Object.entries(cleaned.content).toSorted(([a], [b]) => (a < b ? -1 : 1)) };
  return { ...cleaned, slugHint, hash: createHash('sha256').update(JSON.stringify(sorted)).digest('base64url') };
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
