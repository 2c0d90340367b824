import { isDeepStrictEqual } from 'node:util';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { changeSlug } from '../claim-slug.ts';
import { cleanContent } from '../clean-content.ts';
import { withCounts } from '../counts/counts.ts';
import { contentOf } from '../post.ts';
import { presentOf, requirePublishable, stateOf, timeOfChange } from '../rules.ts';
import type { ManagedPost, WritablePost } from '../schemas.ts';
import { updatePost as storePost } from '../store.ts';
import { managedPost } from '../views.ts';
import { lockOwnPost, type OnPost, reread } from './own-post.ts';

export interface UpdatePostInput extends OnPost {
  fields: WritablePost;
  /** An editor saves on its own: see revisions/rules.ts. */
  autosave?: boolean | undefined;
}

/**
 * Changes the fields given; the former content stays as a revision. The version and `updatedAt` move only when something is different afterwards. Throws
 * NOT_FOUND, PRECONDITION_FAILED, SLUG_TAKEN, and VALIDATION_ERROR, also when a published or scheduled post would lose
 * what it needs.
 */
export async function updatePost(trx: Trx, input: UpdatePostInput, env: Env): Promise<ManagedPost> {
  const post = await lockOwnPost(trx, input);
  const [now, changedAt] = [presentOf(post, env), timeOfChange(post, env)];
  const wanted = { ...contentOf(post), ...cleanContent(input.fields, 'body.') };
  const state = stateOf(post, now);
  if (state === 'PUBLISHED' || state === 'SCHEDULED') requirePublishable(wanted, 'body.');
  const content = { ...wanted, slug: await changeSlug(trx, post, wanted, now) };
  if (isDeepStrictEqual(content, contentOf(post))) return managedPost(post, now);
  await withCounts(trx, { now }, (counts) =>
    storePost(
      trx,
      post,
      {
        ...post,
        ...content,
        version: post.version + 1,
        updatedAt: changedAt,
        changedAt,
        changedBy: input.writer.id,
        autosave: input.autosave,
      },
      counts,
    ),
  );
  return managedPost(await reread(trx, post.id), now);
}
