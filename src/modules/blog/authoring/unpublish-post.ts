import type { Env, Trx } from '../../../platform/db/index.ts';
import { presentOf, timeOfChange, transition } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { managedPost } from '../views.ts';
import { lockOwnPost, type OnPost } from './own-post.ts';
import { storeTimes } from './store-times.ts';

/** Takes a post off the public blog, or back to a draft (contract: state table). Throws NOT_FOUND, PRECONDITION_FAILED. */
export async function unpublishPost(trx: Trx, input: OnPost, env: Env): Promise<ManagedPost> {
  const post = await lockOwnPost(trx, input);
  const now = presentOf(post, env);
  const times = transition('unpublish', post, now);
  if (times === null) return managedPost(post, now);
  return storeTimes(trx, post, times, { now, changedAt: timeOfChange(post, env), writer: input.writer });
}
