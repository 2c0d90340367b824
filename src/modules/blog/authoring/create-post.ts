import type { Env, Trx } from '../../../platform/db/index.ts';
import { claimSlug } from '../claim-slug.ts';
import { cleanContent } from '../clean-content.ts';
import { withCounts } from '../counts/counts.ts';
import { EMPTY_CONTENT } from '../post.ts';
import type { Writer } from '../rules.ts';
import type { ManagedPost, WritablePost } from '../schemas.ts';
import { insertPost } from '../store.ts';
import { managedPost } from '../views.ts';
import { reread } from './own-post.ts';

export interface CreatePostInput {
  writer: Writer;
  fields: WritablePost;
}

/** Stores a new draft of this writer; it may be empty. Throws VALIDATION_ERROR, SLUG_TAKEN. */
export async function createPost(trx: Trx, { writer, fields }: CreatePostInput, env: Env): Promise<ManagedPost> {
  const content = { ...EMPTY_CONTENT, ...cleanContent(fields, 'body.') };
  const id = env.newId();
  const slug = await claimSlug(trx, content, id);
  await withCounts(trx, env, (counts) =>
    insertPost(
      trx,
      {
        ...content,
        id,
        slug,
        authorId: writer.id,
        publishedAt: null,
        archivedAt: null,
        firstPublicAt: null,
        version: 1,
        createdAt: env.now,
        updatedAt: env.now,
        changedAt: env.now,
        changedBy: writer.id,
      },
      counts,
    ),
  );
  return managedPost(await reread(trx, id), env.now);
}
