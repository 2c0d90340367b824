import { AppError } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
import { PageQuery } from '../../../platform/http/index.ts';
import { movedTo } from '../moved.ts';
import type { CommentedPost } from './store.ts';

/** The public post that has this slug or had it before, found by `find`. Throws NOT_FOUND. */
export async function publicPostOf(
  slug: string,
  find: (slug: string) => Promise<CommentedPost | null>,
): Promise<CommentedPost> {
  const post = isSlug(slug) ? await find(slug) : null;
  if (!post) throw new AppError('NOT_FOUND');
  return post;
}

/** Throws POST_MOVED with the `Location` of the comments, and of the same page of them, for a slug that the post had before. */
export function refuseOldSlug(
  slug: string,
  post: Pick<CommentedPost, 'slug'>,
  query: Readonly<Record<string, unknown>>,
): void {
  if (post.slug === slug) return;
  const isUsual = (name: string, value: unknown): boolean =>
    (PageQuery as Partial<Record<string, { default?: unknown }>>)[name]?.default === value;
  const given = Object.entries(query).filter(([name, value]) => value !== undefined && !isUsual(name, value));
  const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  throw movedTo(`/v1/blog/posts/${post.slug}/comments${asked.size === 0 ? '' : `?${asked}`}`);
}
