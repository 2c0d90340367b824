import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { lockOwnPost, reread } from '../authoring/own-post.ts';
import { changeSlug } from '../claim-slug.ts';
import { withCounts } from '../counts/counts.ts';
import { contentOf, type Post, type PostContent } from '../post.ts';
import { presentOf, requirePublishable, stateOf, timeOfChange } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { updatePost as storePost } from '../store.ts';
import { managedPost } from '../views.ts';
import { contentAt, type OnRevision } from './get-revision.ts';

/** The slug of the restored content where it is free or the post's own; else the present one stays. */
async function slugFor(trx: Trx, post: Post, wanted: PostContent, now: Date): Promise<string | null> {
  if (wanted.slug === null) return post.slug;
  try {
    return await changeSlug(trx, post, wanted, now);
  } catch (error) {
    // Found out before anything is written: see claimSlug.
    if (error instanceof AppError && error.code === 'SLUG_TAKEN') return post.slug;
    throw error;
  }
}

/**
 * Makes a former content the present one again, as a new version; the present one becomes a revision. State and dates
 * stay as they are; the present version changes nothing. Throws NOT_FOUND, PRECONDITION_FAILED, and VALIDATION_ERROR when a published or scheduled post would
 * lose what it needs.
 */
export async function restoreRevision(trx: Trx, input: OnRevision, env: Env): Promise<ManagedPost> {
  const post = await lockOwnPost(trx, input);
  const [now, changedAt] = [presentOf(post, env), timeOfChange(post, env)];
  const wanted = contentOf(await contentAt(trx, post, input.number));
  const content = { ...wanted, slug: await slugFor(trx, post, wanted, now) };
  const state = stateOf(post, now);
  if (state === 'PUBLISHED' || state === 'SCHEDULED') requirePublishable(content);
  if (isDeepStrictEqual(content, contentOf(post))) return managedPost(post, now);
  const change = {
    ...content,
    version: post.version + 1,
    updatedAt: changedAt,
    changedAt,
    changedBy: input.writer.id,
  };
  await withCounts(trx, { now }, (counts) => storePost(trx, post, { ...post, ...change }, counts));
  return managedPost(await reread(trx, post.id), now);
}
