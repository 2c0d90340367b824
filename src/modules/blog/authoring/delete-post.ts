import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import { MAY_DELETE, presentOf, stateOf } from '../rules.ts';
import { removePost } from '../store.ts';
import { lockOwnPost, type OnPost } from './own-post.ts';

/** Removes a post and everything that hangs on it. Throws NOT_FOUND, PRECONDITION_FAILED, FORBIDDEN (author, no draft). */
export async function deletePost(trx: Trx, input: OnPost, env: Env): Promise<void> {
  const post = await lockOwnPost(trx, input);
  const now = presentOf(post, env);
  if (!MAY_DELETE[stateOf(post, now)][input.writer.role]) {
    throw new AppError('FORBIDDEN', { message: 'An author may delete drafts only; ask an editor.' });
  }
  await withCounts(trx, { now }, (counts) => removePost(trx, post, counts));
}
