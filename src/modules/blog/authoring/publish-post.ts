import type { Env, Trx } from '../../../platform/db/index.ts';
import { instantOf, requirePublishable, presentOf, timeOfChange, transition } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { managedPost } from '../views.ts';
import { lockOwnPost, type OnPost } from './own-post.ts';
import { storeTimes } from './store-times.ts';

export interface PublishPostInput extends OnPost {
  /** RFC 3339; absent: now. */
  at?: string | undefined;
}

/**
 * Publishes, or with `at` schedules, as the state table of the contract says. Throws NOT_FOUND, PRECONDITION_FAILED,
 * INVALID_STATE, and VALIDATION_ERROR naming each field that is missing.
 */
export async function publishPost(trx: Trx, input: PublishPostInput, env: Env): Promise<ManagedPost> {
  const at = input.at === undefined ? undefined : instantOf(input.at, 'body.at');
  const post = await lockOwnPost(trx, input);
  const now = presentOf(post, env);
  const times = transition(at ? 'publishAt' : 'publish', post, now, at);
  if (times === null) return managedPost(post, now);
  requirePublishable(post);
  return storeTimes(trx, post, times, { now, changedAt: timeOfChange(post, env), writer: input.writer });
}
