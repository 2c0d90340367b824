import { AppError } from '../../../contracts/errors.ts';
import { isSlug } from '../../../lib/slug.ts';
import { type Db, type Env, type Reads, readsOf } from '../../../platform/db/index.ts';
import { movedTo } from '../moved.ts';
import type { PostDetail } from '../schemas.ts';
import { htmlOf } from '../rendering/rendered-body.ts';
import { countersText } from './cache/page-template.ts';
import type { Personal } from './cache/read-cache.ts';
import { summaryOf } from './public-post.ts';
import { seoOf } from './seo.ts';
import { findPublicBySlug, type PublicPostDetail, type WithRelated } from './detail-store.ts';
import { hasLiked, likedWithCounters } from './store.ts';

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
  { post, related }: WithRelated<PublicPostDetail>,
  { likedByMe, publicUrl }: { likedByMe: boolean; publicUrl: string | undefined },
): Promise<PostDetail> {
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

/**
 * A public post, read by `reads`; what else is asked, and a rendering that is made now, goes to `db`. Throws NOT_FOUND, and
 * POST_MOVED with `Location` for a slug that the post had before.
 */
export async function getPost(
  db: Db,
  { slug, userId, publicUrl }: GetPostInput,
  { now }: Pick<Env, 'now'>,
  reads: Reads = readsOf(db),
): Promise<PostDetail> {
  const found = isSlug(slug) ? await reads((on) => findPublicBySlug(on, slug, now)) : null;
  if (!found) throw new AppError('NOT_FOUND');
  const { post } = found;
  if (post.slug !== slug) throw movedTo(`/v1/blog/posts/${post.slug}`);
  const likedByMe = userId !== null && (await hasLiked(db, post.id, userId));
  return detailOf(db, found, { likedByMe, publicUrl });
}

/** Whether a user likes a post, and its counters of the same moment; null: the post is gone. */
export async function personalOf(db: Db, postId: string, userId: string): Promise<Personal | null> {
  const found = await likedWithCounters(db, postId, userId);
  return found && { liked: found.liked, counters: countersText(found) };
}
