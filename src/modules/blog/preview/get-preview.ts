import { AppError } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { detailOf } from '../reading/get-post.ts';
import { findDetail } from '../reading/detail-store.ts';
import type { PostDetail } from '../schemas.ts';
import { generationOf } from './store.ts';
import { readPreview } from './token.ts';

/**
 * The post of a preview link as it is now, in whatever state, as the public detail would show it; a text that is missing
 * is '', a date that is missing is now. Throws NOT_FOUND for a link that is none, expired or ended, or whose post is gone.
 */
export async function getPreview(
  db: Db,
  { token }: { token: string },
  { now, cipher, publicUrl }: { now: Env['now']; cipher: Cipher; publicUrl: string | undefined },
): Promise<PostDetail> {
  const preview = readPreview(token, cipher);
  const live = preview !== null && preview.expiresAt > now;
  const found = live ? await findDetail(db, preview.postId, now) : null;
  if (!live || !found || (await generationOf(db, found.post.id)) !== preview.generation) {
    throw new AppError('NOT_FOUND', { message: 'This preview link is not valid, or not any more.' });
  }
  const { post, related } = found;
  const { slug, title, category, publishedAt } = post;
  const shown = { slug: slug ?? '', title: title ?? '', category: category ?? '', publishedAt: publishedAt ?? now };
  return detailOf(db, { post: { ...post, ...shown }, related }, { likedByMe: false, publicUrl });
}
