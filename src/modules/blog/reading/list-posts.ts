import { foldCase } from '../../../lib/fold-case.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { ListPostsQuery, PostSummary } from '../schemas.ts';
import { countPublic } from './count-public.ts';
import { summaryOf } from './public-post.ts';
import { authorsNamed, type PublicFilter, pageOfPublic } from './store.ts';

async function filterOf(db: Db, query: ListPostsQuery): Promise<PublicFilter> {
  return {
    categoryKey: query.category === undefined ? undefined : foldCase(query.category.trim()),
    tagKeys: [...new Set((query.tag ?? []).map((tag) => foldCase(tag.trim())))],
    featured: query.featured,
    authorIds: query.author === undefined ? undefined : await authorsNamed(db, query.author.trim()),
  };
}

/** A page of the public posts that have all that is asked for; the order is total, so no page repeats or skips one. */
export async function listPosts(
  db: Db,
  query: ListPostsQuery,
  { now }: Pick<Env, 'now'>,
): Promise<Page<PostSummary> & { sort: 'newest' | 'oldest' }> {
  const sort = query.sort ?? 'newest';
  const filter = await filterOf(db, query);
  const posts = await pageOfPublic(db, filter, now, { sort, page: query.page, limit: query.limit });
  const total = await countPublic(db, filter, now);
  return { sort, ...toPage(query, total, posts.map(summaryOf)) };
}
