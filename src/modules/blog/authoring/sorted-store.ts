import { type RawBuilder, sql } from 'kysely';
import type { PostState } from '../rules.ts';
import type { ManagedSort } from '../schemas.ts';

/** `changed` has an index over all posts; these have one over what is listed for readers, and one over the rest. */
export type MergedSort = Exclude<ManagedSort, 'changed'>;

export interface SortedPage {
  sort: MergedSort;
  authorId: string | undefined;
  status: PostState | undefined;
  now: Date;
  offset: number;
  limit: number;
}

const COUNTERS = { most_viewed: sql`k.view_count`, most_liked: sql`k.like_count` };
const OF_POSTS = { published: sql`p.published_at`, most_commented: sql`p.comment_count` };

const isCounter = (sort: MergedSort): sort is keyof typeof COUNTERS => Object.hasOwn(COUNTERS, sort);
const all = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` and `);

/** Published or scheduled, or neither: the two halves of each order, in the words of their indexes. */
type Half = 'listed' | 'unlisted';

const HALF_OF_POSTS: Record<Half, RawBuilder<unknown>> = {
  listed: sql`p.archived_at is null and p.published_at is not null`,
  unlisted: sql`(p.archived_at is not null or p.published_at is null)`,
};
const HALF_OF_COUNTERS: Record<Half, RawBuilder<unknown>> = {
  listed: sql`k.listed_from is not null`,
  unlisted: sql`k.listed_from is null`,
};

/** What is asked of a post besides its half. */
function conditionsOf({ authorId, status, now }: SortedPage, byAuthor = false): RawBuilder<unknown>[] {
  const author = byAuthor ? sql`any(array[${authorId}]::uuid[])` : sql`${authorId}`;
  return [
    ...(authorId === undefined ? [] : [sql`p.author_id = ${author}`]),
    ...(status === 'PUBLISHED' ? [sql`p.published_at <= ${now}`] : []),
    ...(status === 'ARCHIVED' ? [sql`p.archived_at is not null`] : []),
    ...(status === 'DRAFT' ? [sql`p.published_at is null`] : []),
  ];
}

/** The first of one half, read off its index; as many as a page of both halves may have of it. */
function partOf(half: Half, page: SortedPage): RawBuilder<unknown> {
  const { sort, status, now, offset, limit } = page;
  const most = offset + limit;
  if (isCounter(sort)) {
    const value = COUNTERS[sort];
    // As the row of counters has it, the row of the post needs no reading.
    const isPublished = status === 'PUBLISHED' && page.authorId === undefined;
    const conditions = isPublished ? [sql`k.listed_from <= ${now}`] : conditionsOf(page);
    const posts = isPublished || conditions.length === 0 ? sql`` : sql`join posts p on p.id = k.post_id`;
    return sql`(select k.post_id as id, ${value} as value from post_counters k ${posts}
      where ${all([HALF_OF_COUNTERS[half], ...conditions])} order by ${value} desc, k.post_id desc limit ${most})`;
  }
  const value = OF_POSTS[sort];
  // Drafts have no date. The index of what is listed knows nothing of nulls, and would not be taken.
  const nulls = sort === 'published' && half === 'unlisted' ? sql`nulls last` : sql``;
  // An index has what is listed of an author by its date. Compared with a list of one, the author leaves the planner no other.
  const byAuthor = page.authorId !== undefined && sort === 'published' && half === 'listed';
  const first = byAuthor ? sql`p.author_id,` : sql``;
  return sql`(select p.id, ${value} as value from posts p
    where ${all([HALF_OF_POSTS[half], ...conditionsOf(page, byAuthor)])}
    order by ${first} ${value} desc ${nulls}, p.id desc limit ${most})`;
}

/** Counters by their key: as a plain join, the planner reads those of every post there is. */
const ONE_BY_ONE = sql`cross join lateral (select c.* from post_counters c where c.post_id = p.id offset 0) k`;

/** What is scheduled stands at the end of most orders, and is found by its date: all of it is sorted. */
function scheduledPart(page: SortedPage): RawBuilder<unknown> {
  const { sort, now, offset, limit } = page;
  const value = isCounter(sort) ? COUNTERS[sort] : OF_POSTS[sort];
  return sql`(
    with p as materialized (
      select p.id, p.comment_count, p.published_at from posts p
      where ${all([sql`p.archived_at is null and p.published_at > ${now}`, ...conditionsOf(page)])}
    )
    select p.id, ${value} as value from p ${isCounter(sort) ? ONE_BY_ONE : sql``}
    order by ${value} desc, p.id desc limit ${offset + limit})`;
}

function partsOf(page: SortedPage): RawBuilder<unknown>[] {
  switch (page.status) {
    case 'SCHEDULED':
      return [scheduledPart(page)];
    case 'PUBLISHED':
      return [partOf('listed', page)];
    case 'DRAFT':
    case 'ARCHIVED':
      return [partOf('unlisted', page)];
    case undefined:
      return [partOf('listed', page), partOf('unlisted', page)];
  }
}

/** A page as `id` and `value`, highest first, without a date last; ties by id, so that the order is total. */
export const foundSorted = (page: SortedPage): RawBuilder<{ id: string; value: unknown }> => sql`
  (select id, value from (${sql.join(partsOf(page), sql` union all `)}) as part
   order by value desc nulls last, id desc offset ${page.offset} limit ${page.limit})`;
