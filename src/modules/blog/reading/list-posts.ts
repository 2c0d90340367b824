import { invalid } from '../../../contracts/errors.ts';
import { foldCase } from '../../../lib/fold-case.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import type { ListPostsQuery, PostSummary, Sort } from '../schemas.ts';
import { MARK } from '../search/document.ts';
import { findMatches, publicMarks } from '../search/find-matches.ts';
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

type ListedPosts = Page<PostSummary> & { sort: Sort };

/** The page of a search: the matches are found first and then put in the order asked for. */
async function searchPosts(db: Db, query: ListPostsQuery & { q: string }, now: Date): Promise<ListedPosts> {
  const sort = query.sort ?? 'relevance';
  const filter = await filterOf(db, query);
  const ids = await findMatches(db, { q: query.q, state: MARK.public, marks: publicMarks(filter), now });
  const { page, limit } = query;
  if (sort !== 'relevance') {
    const posts = await pageOfPublic(db, { ...filter, ids }, now, { sort, page, limit });
    return { sort, ...toPage(query, ids.length, posts.map(summaryOf)) };
  }
  const wanted = ids.slice((page - 1) * limit, page * limit);
  const posts = await pageOfPublic(db, { ...filter, ids: wanted }, now, { sort: 'newest', page: 1, limit });
  const byId = new Map(posts.map((post) => [post.id, summaryOf(post)]));
  const ranked = wanted.flatMap((id) => byId.get(id) ?? []);
  return { sort, ...toPage(query, ids.length, ranked) };
}

/** A page of the public posts that have all that is asked for; the order is total, so no page repeats or skips one. */
export async function listPosts(db: Db, query: ListPostsQuery, { now }: Pick<Env, 'now'>): Promise<ListedPosts> {
  const { q, sort = 'newest' } = query;
  if (q !== undefined) return searchPosts(db, { ...query, q }, now);
  if (sort === 'relevance') throw invalid({ path: 'query.sort', message: 'relevance needs q' });
  const filter = await filterOf(db, query);
  const posts = await pageOfPublic(db, filter, now, { sort, page: query.page, limit: query.limit });
  const total = await countPublic(db, filter, now);
  return { sort, ...toPage(query, total, posts.map(summaryOf)) };
}
