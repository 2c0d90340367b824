import { type ExpressionBuilder, type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { ListedPost } from '../post.ts';
import type { PostState } from '../rules.ts';
import type { ManagedSort } from '../schemas.ts';
import { COUNTERS, toPost } from '../store.ts';
import { type BlogTables, blogTables } from '../tables.ts';
import { foundSorted, type SortedPage } from './sorted-store.ts';

export interface ManagedFilter {
  authorId: string | undefined;
  status: PostState | undefined;
  /** The matches of a search. */
  ids: readonly string[] | undefined;
  now: Date;
}

type Posts = ExpressionBuilder<BlogTables & { p: BlogTables['posts'] }, 'p'>;

/** The state as SQL: the same decision as `stateOf` in rules.ts. */
const inState = (eb: Posts, status: PostState, now: Date): Expression<SqlBool> => {
  switch (status) {
    case 'DRAFT':
      return eb('p.published_at', 'is', null);
    case 'ARCHIVED':
      return eb('p.archived_at', 'is not', null);
    case 'SCHEDULED':
      return eb.and([eb('p.archived_at', 'is', null), eb('p.published_at', '>', now)]);
    case 'PUBLISHED':
      return eb.and([eb('p.archived_at', 'is', null), eb('p.published_at', '<=', now)]);
  }
};

/** `byAuthor`: the author is compared with a list of one, see `queryOfManaged`. */
const managed = (db: Db, filter: ManagedFilter, byAuthor = false) =>
  blogTables(db)
    .selectFrom('posts as p')
    .where((eb) => {
      const { authorId, status, ids, now } = filter;
      const author = byAuthor ? sql<string>`any(array[${authorId}]::uuid[])` : authorId;
      return eb.and([
        ...(author === undefined ? [] : [eb('p.author_id', '=', author)]),
        ...(status === undefined ? [] : [inState(eb as unknown as Posts, status, now)]),
        ...(ids === undefined ? [] : [eb('p.id', '=', sql<string>`any(${ids}::uuid[])`)]),
      ]);
    });

export async function countManaged(db: Db, filter: ManagedFilter): Promise<number> {
  const row = await managed(db, filter).select(sql<number>`count(*)::integer`.as('count')).executeTakeFirstOrThrow();
  return row.count;
}

/**
 * How many posts of this author, or of all, are in each state: from the kept counts, and for what is scheduled from the
 * index of dates, so that a million posts are not counted.
 */
export async function countStates(db: Db, authorId: string | undefined, now: Date): Promise<Record<PostState, number>> {
  const mine = authorId === undefined ? sql`true` : sql`p.author_id = ${authorId}`;
  const shown = authorId === undefined ? 'all' : 'author';
  const { rows } = await sql<{ kind: string; count: number }>`
    select c.kind, c.count from post_counts c
    where c.kind = any(${['draft', 'archived', shown]}::text[]) and c.key = ${authorId ?? ''}
    union all
    select 'scheduled', count(*)::integer from posts p
    where p.archived_at is null and p.published_at > ${now} and ${mine}`.execute(db);
  const count = (kind: string): number => rows.find((row) => row.kind === kind)?.count ?? 0;
  const SCHEDULED = count('scheduled');
  return { DRAFT: count('draft'), SCHEDULED, PUBLISHED: count(shown) - SCHEDULED, ARCHIVED: count('archived') };
}

/** Highest first. Of these only `changed` is the order of an index over all posts. */
const ORDERS = {
  changed: sql`p.changed_at desc`,
  published: sql`p.published_at desc nulls last`,
  most_viewed: sql`k.view_count desc`,
  most_liked: sql`k.like_count desc`,
  most_commented: sql`p.comment_count desc`,
} satisfies Record<ManagedSort, unknown>;

interface ManagedPage {
  sort?: ManagedSort | undefined;
  /** The post of this slug comes first, unless an order was asked for. */
  slug?: string | undefined;
  page: number;
  limit: number;
}

/** A page in one of the orders; without bodies. */
export async function pageOfManaged(db: Db, filter: ManagedFilter, asked: ManagedPage): Promise<ListedPost[]> {
  const { sort = 'changed', slug, page, limit } = asked;
  const offset = (page - 1) * limit;
  // What a search has found is few enough to be sorted.
  if (sort !== 'changed' && filter.ids === undefined) return pageSorted(db, { ...filter, sort, offset, limit });
  const first = asked.sort === undefined ? slug : undefined;
  return (await queryOfManaged(db, filter, { sort, slug: first, offset, limit }).execute()).map(toPost);
}

/**
 * The page in an order that an index has, or of few. The posts of an author are in one by their change, and those that are drafts or archived in
 * another: the author is compared with a list of one, else the planner, where it takes an author for frequent, may walk the changes of all,
 * past whatever others did since. What is scheduled is found by its date.
 */
export function queryOfManaged(
  db: Db,
  filter: ManagedFilter,
  { sort, slug, offset, limit }: { sort: ManagedSort; slug?: string | undefined; offset: number; limit: number },
) {
  const { authorId, ids, status } = filter;
  const byAuthor = authorId !== undefined && sort === 'changed' && ids === undefined && status !== 'SCHEDULED';
  return managed(db, filter, byAuthor)
    .innerJoin('users as u', 'u.id', 'p.author_id')
    .innerJoin('post_counters as k', 'k.post_id', 'p.id')
    .selectAll('p')
    .select(COUNTERS)
    .select('u.name as author_name')
    .$if(byAuthor, (query) => query.orderBy('p.author_id'))
    .$if(slug !== undefined, (query) => query.orderBy(sql`p.slug is not distinct from ${slug}`, 'desc'))
    .orderBy(ORDERS[sort])
    .orderBy('p.id', 'desc')
    .offset(offset)
    .limit(limit);
}

/** The same, where the ids of the page are read off indexes first. */
async function pageSorted(db: Db, page: SortedPage): Promise<ListedPost[]> {
  const rows = await blogTables(db)
    .selectFrom(foundSorted(page).as('f'))
    .innerJoin('posts as p', 'p.id', 'f.id')
    .innerJoin('users as u', 'u.id', 'p.author_id')
    .innerJoin('post_counters as k', 'k.post_id', 'p.id')
    .selectAll('p')
    .select(COUNTERS)
    .select('u.name as author_name')
    .orderBy(sql`f.value desc nulls last`)
    .orderBy('p.id', 'desc')
    .execute();
  return rows.map(toPost);
}
