import type { Trx } from '../../../platform/db/index.ts';
import { withCounts } from '../counts/counts.ts';
import type { Post, PostTimes } from '../post.ts';
import type { Writer } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { updatePost } from '../store.ts';
import { managedPost } from '../views.ts';
import { reread } from './own-post.ts';

/** Stores the times that a transition of the state table gives a locked post, as a new version; returns it as it is `now`. */
export async function storeTimes(
  trx: Trx,
  post: Post,
  times: PostTimes,
  { now, changedAt, writer }: { now: Date; changedAt: Date; writer: Writer },
): Promise<ManagedPost> {
  const change = { ...times, version: post.version + 1, changedAt, changedBy: writer.id };
  await withCounts(trx, { now }, (counts) => updatePost(trx, post, { ...post, ...change }, counts));
  return managedPost(await reread(trx, post.id), now);
}
