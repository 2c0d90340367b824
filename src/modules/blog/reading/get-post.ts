import { AppError } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { movedTo } from '../moved.ts';
import type { PostDetail } from '../schemas.ts';
import { htmlOf } from '../rendering/rendered-body.ts';
import { summaryOf } from './public-post.ts';
import { seoOf } from './seo.ts';
import { findPublicBySlug, hasLiked, type PublicPostDetail, relatedPosts } from './store.ts';

/** How many related posts a detail has at most (contract: "Blog"). */
const RELATED = 4;

export interface GetPostInput {
  slug: string;
  /** The signed-in user; null for an API key, whose `likedByMe` is always false. */
  userId: string | null;
  /** Address of the service for the outside; undefined: not known. */
  publicUrl?: string | undefined;
}

/** interface.md §2.2; also what a preview shows of a post that is not public. */
export async function detailOf(
  db: Db,
  post: PublicPostDetail,
  { likedByMe, publicUrl }: { likedByMe: boolean; publicUrl: string | undefined },
  { now }: Pick<Env, 'now'>,
): Promise<PostDetail> {
  const related = await relatedPosts(db, post, now, RELATED);
  return {
    ...summaryOf(post),
    body: post.body,
    bodyHtml: await htmlOf(db, post),
    seo: seoOf(post, publicUrl),
    seoTitle: post.seoTitle,
    seoDescription: post.seoDescription,
    updatedAt: post.updatedAt.toISOString(),
    likedByMe,
    related: related.map(summaryOf),
  };
}

/** A public post. Throws NOT_FOUND, and POST_MOVED with `Location` for a slug that the post had before. */
export async function getPost(
  db: Db,
  { slug, userId, publicUrl }: GetPostInput,
  { now }: Pick<Env, 'now'>,
): Promise<PostDetail> {
  const post = isSlug(slug) ? await findPublicBySlug(db, slug, now) : null;
  if (!post) throw new AppError('NOT_FOUND');
  if (post.slug !== slug) throw movedTo(`/v1/blog/posts/${post.slug}`);
  const likedByMe = userId !== null && (await hasLiked(db, post.id, userId));
  return detailOf(db, post, { likedByMe, publicUrl }, { now });
}
