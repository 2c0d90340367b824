import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { Writer } from '../rules.ts';
import type { ListManagedQuery, ManagedSummary } from '../schemas.ts';
import { findManaged } from '../search/find-managed.ts';
import { managedSummary } from '../views.ts';
import { countManaged, pageOfManaged } from './store.ts';

export interface ListManagedPostsInput {
  writer: Writer;
  query: ListManagedQuery;
}

/** The writer's own posts, or every post for an editor (interface.md §4 note 1); latest change first. */
export async function listManagedPosts(
  db: Db,
  { writer, query }: ListManagedPostsInput,
  env: Env,
): Promise<Page<ManagedSummary>> {
  const { status, q } = query;
  const { now } = env;
  const authorId = writer.role === 'EDITOR' ? undefined : writer.id;
  const ids = q === undefined ? undefined : await findManaged(db, { q, authorId, status, now });
  const filter = { authorId, status, ids, now };
  const posts = await pageOfManaged(db, filter, query);
  const total = await countManaged(db, filter);
  return toPage(
    query,
    total,
    posts.map((post) => managedSummary(post, env.now)),
  );
}
