import { AppError } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
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

/** Throws POST_MOVED with the `Location` of the comments for a slug that the post had before. */
export function refuseOldSlug(slug: string, post: CommentedPost): void {
  if (post.slug !== slug) throw movedTo(`/v1/blog/posts/${post.slug}/comments`);
}
