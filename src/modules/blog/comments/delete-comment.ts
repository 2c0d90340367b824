import { AppError } from '../../../contracts/errors.ts';
import type { Trx } from '../../../platform/db/index.ts';
import { addToCounts, eraseComment, lockComments, type OnCounted } from './store.ts';

/**
 * Removes a comment of the caller's own, in whatever state it and its post are: text, author and reports are gone, and
 * an empty place stays only where visible replies need it. Throws NOT_FOUND, also for another's comment and for one
 * that is deleted already.
 */
export async function deleteComment(
  trx: Trx,
  { id, userId }: { id: string; userId: string },
  counted: OnCounted,
): Promise<void> {
  const comment = (await lockComments(trx, [id])).get(id);
  if (!comment || comment.authorId !== userId) throw new AppError('NOT_FOUND');
  await eraseComment(trx, id);
  if (comment.status === 'VISIBLE') {
    await addToCounts(trx, [{ postId: comment.postId, rootId: comment.rootId, delta: -1 }], counted);
  }
}
