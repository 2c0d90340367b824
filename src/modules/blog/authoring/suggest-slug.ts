import { type Static, Type } from 'typebox';
import { invalid } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { Db } from '../../../platform/db/index.ts';
import { Uuid } from '../../../platform/http/index.ts';
import { freeSlugs, slugBase } from '../claim-slug.ts';
import type { Writer } from '../rules.ts';
import { FilterText } from '../schemas.ts';
import { findOwnPost } from './own-post.ts';

export const SlugQuery = Type.Object({
  slug: Type.Optional(FilterText(200, 'Need not be valid: an invalid one is not available.')),
  title: Type.Optional(FilterText(200, 'Looked at without `slug`.')),
  postId: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: 'The post that wants it: its own are free to it.' }),
  ),
});

export const SuggestedSlug = Type.Object({
  slug: Type.String({ description: 'The one asked for, or made of the title.' }),
  available: Type.Boolean(),
  suggestion: Type.String({ description: 'The same if available, else one near it that is.' }),
});

export interface SuggestSlugInput {
  writer: Writer;
  query: Static<typeof SlugQuery>;
}

/**
 * Whether a slug is valid and free, and the one that would be given. Nothing is reserved: the change itself decides.
 * Throws VALIDATION_ERROR without slug and title, NOT_FOUND for a post that the caller does not manage.
 */
export async function suggestSlug(db: Db, { writer, query }: SuggestSlugInput): Promise<Static<typeof SuggestedSlug>> {
  const { slug: asked, title, postId } = query;
  const text = asked ?? title;
  if (text === undefined) throw invalid({ path: 'query.slug', message: 'slug or title is needed' });
  if (postId !== undefined) await findOwnPost(db, { writer, id: postId });
  const slug = asked ?? slugBase(text);
  const base = isSlug(slug) ? slug : slugBase(text);
  const { value: suggestion } = await freeSlugs(db, base, postId ?? null).next();
  return { slug, available: suggestion === slug, suggestion };
}
