import type { Env, Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import { transition } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { updatePost as storePost } from '../store.ts';
import { managedPost } from '../views.ts';
import { lockOwnPost, type OnPost, reread } from './own-post.ts';

/** Takes a post off the public blog, or back to a draft (contract: state table). Throws NOT_FOUND, PRECONDITION_FAILED. */
export async function unpublishPost(trx: Trx, input: OnPost, env: Env): Promise<ManagedPost> {
  const post = await lockOwnPost(trx, input);
  const times = transition('unpublish', post, env.now);
  if (times === null) return managedPost(post, env.now);
  await withCounts(trx, env, (counts) =>
    storePost(
      trx,
      post,
      { ...post, ...times, version: post.version + 1, changedAt: env.now, changedBy: input.writer.id },
      counts,
    ),
  );
  return managedPost(await reread(trx, post.id), env.now);
}
