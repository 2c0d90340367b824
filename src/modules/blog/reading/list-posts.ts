import { foldCase } from '../../../lib/fold-case.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import { readCount } from '../counts/store.ts';
import type { ListPostsQuery, PostSummary, Sort } from '../schemas.ts';
import { countPublic } from './count-public.ts';
import { type PublicPost, summaryOf } from './public-post.ts';
import { pageByCounter } from './sorted-store.ts';
import { authorsNamed, type PublicFilter, pageOfPublic } from './store.ts';
import { wayTo } from './way-to.ts';

async function filterOf(db: Db, query: ListPostsQuery): Promise<PublicFilter> {
  return {
    categoryKey: query.category === undefined ? undefined : foldCase(query.category.trim()),
    tagKeys: [...new Set((query.tag ?? []).map((tag) => foldCase(tag.trim())))],
    featured: query.featured,
    authorIds: query.author === undefined ? undefined : await authorsNamed(db, query.author.trim()),
  };
}

async function sorted(
  db: Db,
  filter: PublicFilter,
  now: Date,
  { sort, page, limit, total }: { sort: Sort; page: number; limit: number; total: number },
): Promise<PublicPost[]> {
  if (sort === 'newest' || sort === 'oldest') return pageOfPublic(db, filter, now, { sort, page, limit });
  const offset = (page - 1) * limit;
  if (offset >= total) return [];
  const all = await readCount(db, 'all', ['']);
  const way = total === all ? 'walk' : wayTo({ matching: total, all, end: offset + limit });
  return pageByCounter(db, filter, now, { sort, limit, offset, way });
}

/** A page of the public posts that have all that is asked for; the order is total, so no page repeats or skips one. */
export async function listPosts(
  db: Db,
  query: ListPostsQuery,
  { now }: Pick<Env, 'now'>,
): Promise<Page<PostSummary> & { sort: Sort }> {
  const sort = query.sort ?? 'newest';
  const filter = await filterOf(db, query);
  const total = await countPublic(db, filter, now);
  const posts = await sorted(db, filter, now, { sort, page: query.page, limit: query.limit, total });
  return { sort, ...toPage(query, total, posts.map(summaryOf)) };
}
