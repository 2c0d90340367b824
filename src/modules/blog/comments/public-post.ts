import { AppError } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
import { movedTo } from '../moved.ts';
import type { CommentedPost } from './store.ts';

/**
 * The public post of a slug, found by `find`. Throws NOT_FOUND, and POST_MOVED with the `Location` of its comments for a
 * slug that the post had before.
 */
export async function publicPostOf(
  slug: string,
  find: (slug: string) => Promise<CommentedPost | null>,
): Promise<CommentedPost> {
  const post = isSlug(slug) ? await find(slug) : null;
  if (!post) throw new AppError('NOT_FOUND');
  if (post.slug === slug) return post;
  throw movedTo(`/v1/blog/posts/${post.slug}/comments`);
}
