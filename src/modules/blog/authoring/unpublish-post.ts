import type { Env, Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import { timeOfChange, transition } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { updatePost as storePost } from '../store.ts';
import { managedPost } from '../views.ts';
import { lockOwnPost, type OnPost, reread } from './own-post.ts';

/** Takes a post off the public blog, or back to a draft (contract: state table). Throws NOT_FOUND, PRECONDITION_FAILED. */
export async function unpublishPost(trx: Trx, input: OnPost, env: Env): Promise<ManagedPost> {
  const post = await lockOwnPost(trx, input);
  const now = timeOfChange(post, env);
  const times = transition('unpublish', post, now);
  if (times === null) return managedPost(post, now);
  await withCounts(trx, { now }, (counts) =>
    storePost(
      trx,
      post,
      { ...post, ...times, version: post.version + 1, changedAt: now, changedBy: input.writer.id },
      counts,
    ),
  );
  return managedPost(await reread(trx, post.id), now);
}
