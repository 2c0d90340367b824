import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { PostState, Writer } from '../rules.ts';
import type { ListManagedQuery, ManagedSummary } from '../schemas.ts';
import { findManaged } from '../search/find-managed.ts';
import { managedSummary } from '../views.ts';
import { countManaged, countStates, pageOfManaged } from './store.ts';

export interface ListManagedPostsInput {
  writer: Writer;
  query: ListManagedQuery;
}

type StateCounts = Record<PostState, number>;

const sum = (counts: StateCounts): number => Object.values(counts).reduce((a, b) => a + b);

/**
 * The writer's own posts, or every post for an editor (interface.md §4 note 1); latest change first unless sorted otherwise. `counts` has all of
 * them by state, whatever is asked for.
 */
export async function listManagedPosts(
  db: Db,
  { writer, query }: ListManagedPostsInput,
  env: Env,
): Promise<Page<ManagedSummary> & { counts: StateCounts }> {
  const { status, q } = query;
  const { now } = env;
  const authorId = writer.role === 'EDITOR' ? undefined : writer.id;
  const ids = q === undefined ? undefined : await findManaged(db, { q, authorId, status, now });
  const filter = { authorId, status, ids, now };
  const posts = await pageOfManaged(db, filter, { ...query, slug: q?.trim().toLowerCase() });
  const counts = await countStates(db, authorId, env.now);
  const kept = status === undefined ? sum(counts) : counts[status];
  const total = q === undefined ? kept : await countManaged(db, filter);
  const page = toPage(
    query,
    total,
    posts.map((post) => managedSummary(post, env.now)),
  );
  return { ...page, counts };
}
