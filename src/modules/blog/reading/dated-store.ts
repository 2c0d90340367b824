import { type RawBuilder, sql } from 'kysely';
import { tokens, type Db } from '../../../platform/db/index.ts';
import type { PublicPost } from './public-post.ts';
import {
  asksForNothing,
  both,
  fromMarks,
  fromTagged,
  isPublic,
  isTagged,
  matchesTagged,
  postsOf,
  type PublicFilter,
  SUMMARY,
} from './store.ts';
import type { PlaceOfPage, WayOfTags } from './way-to.ts';

export interface DatePage extends PlaceOfPage {
  sort: 'newest' | 'oldest';
  /**
   * `walk` goes along the order until the page is full, `gather` sorts all that match: see `wayTo`. Of filters with tags
   * the first tag is walked, held while the second is, or joined with it, or all are asked for by their `marks`: see `wayToSeveral`.
   */
  way: 'walk' | 'gather' | WayOfTags;
  /** A number that is read in the same statement. */
  count?: RawBuilder<number>;
}

const byDate = (first: 'newest' | 'oldest'): RawBuilder<unknown> =>
  first === 'newest' ? sql`p.published_at desc, p.id desc` : sql`p.published_at, p.id`;

/** A page further from its end than this is found by the months before it. Posts. */
const FAR = 2000;

/**
 * A far page of all posts: the month in which it begins is found by the counts of the months, which include what is
 * scheduled; so at most the posts of that month are passed over.
 */
function foundByMonth(now: Date, { newestFirst, offset, limit }: FarPage): RawBuilder<unknown> {
  const way = newestFirst ? sql`desc` : sql`asc`;
  const later = sql`(select count(*) from posts l where l.archived_at is null and l.published_at > ${now})`;
  const monthBegin = sql`((m.key || '-01')::timestamp at time zone 'UTC')`;
  const monthEnd = sql`(((m.key || '-01')::timestamp + interval '1 month') at time zone 'UTC')`;
  const from = newestFirst ? sql`f.published_at < ${monthEnd}` : sql`f.published_at >= ${monthBegin}`;
  return sql`
    with s as materialized (select ${offset}::integer + ${newestFirst ? later : sql`0`} as past)
    select p.id from s
    cross join lateral (
      select c.key, s.past - (c.upto - c.count) as past from (
        select key, count, sum(count) over (order by key ${way}) as upto from post_counts
        where kind = 'month' and count > 0
      ) c where c.upto > s.past order by c.key ${way} limit 1
    ) m
    cross join lateral (
      select f.id, f.published_at from posts f where f.archived_at is null and f.published_at is not null and ${from}
      order by f.published_at ${way}, f.id ${way} limit ${limit} offset m.past
    ) p
    where p.published_at <= ${now}`;
}

interface FarPage {
  newestFirst: boolean;
  offset: number;
  limit: number;
}

/**
 * The ids of a page by the index that holds a category, or an author, in the order of dates. Its first column is compared with a list
 * of one: else the planner, where it takes that for a large part of all posts, may walk the dates of all, past whatever others published
 * since.
 */
function foundByIndex(
  [column, key]: readonly [column: RawBuilder<unknown>, key: RawBuilder<unknown>],
  now: Date,
  { newestFirst, offset, limit }: FarPage,
): RawBuilder<unknown> {
  const order = sql`${column} ${newestFirst ? sql`asc` : sql`desc`}, ${byDate(newestFirst ? 'newest' : 'oldest')}`;
  return sql`
    select p.id from posts p where ${isPublic(now)} and ${column} = any(array[${key}])
    order by ${order} limit ${limit} offset ${offset}`;
}

/** What of a filter that is in the order of dates is the first column of an index, and what it is compared with. */
function firstColumn(filter: PublicFilter): readonly [RawBuilder<unknown>, RawBuilder<unknown>] | null {
  const { categoryKey, authorIds } = filter;
  if (!isInOrderOfDates(filter)) return null;
  if (categoryKey !== undefined) return [sql`p.category_key`, sql`${categoryKey}::text`];
  return authorIds === undefined ? null : [sql`p.author_id`, sql`${authorIds[0]}::uuid`];
}

/** That a post of `post_tags t` has these tags, too. Each is looked up: `offset 0` keeps the planner from a join, which reads both as a whole. */
function hasAlso(keys: readonly string[]): RawBuilder<unknown> {
  const has = (key: string) => sql`and exists (select from post_tags o
    where o.tag_key = ${key} and o.published_at = t.published_at and o.post_id = t.post_id offset 0)`;
  return sql.join(keys.map(has), sql` `);
}

/** The statement that finds the ids of a page. */
export function foundByDate(filter: PublicFilter, now: Date, datePage: DatePage): RawBuilder<unknown> {
  const { sort, way, fromEnd, offset, limit } = datePage;
  const newestFirst = (sort === 'newest') !== fromEnd;
  if (offset >= FAR && asksForNothing(filter)) return foundByMonth(now, { newestFirst, offset, limit });
  if (isTagged(filter) && way === 'marks') {
    const order = newestFirst ? sql`s.at desc, s.post_id desc` : sql`s.at, s.post_id`;
    return sql`select s.post_id as id from ${fromMarks(filter, now)} order by ${order} limit ${limit} offset ${offset}`;
  }
  if (isTagged(filter)) {
    const order = newestFirst ? sql`t.published_at desc, t.post_id desc` : sql`t.published_at, t.post_id`;
    const [rarest = '', next, ...others] = filter.tagKeys;
    const isHeld = way === 'hold' && next !== undefined;
    const [walked, asked] = isHeld ? [next, others] : [rarest, next === undefined ? [] : [next, ...others]];
    const along = way === 'join' ? filter : { ...filter, tagKeys: [walked] };
    // As a condition by itself the planner would make a join of it, and look up or sort.
    const isAmongHeld = sql`(t.post_id in (select h.post_id from post_tags h where h.tag_key = ${rarest})) is true`;
    return sql`
      select t.post_id as id from ${fromTagged(along)}
      where t.published_at <= ${now} and ${matchesTagged(along)} ${isHeld ? sql`and ${isAmongHeld}` : sql``}
        ${way === 'join' ? sql`` : hasAlso(asked)}
      order by ${order} limit ${limit} offset ${offset}`;
  }
  const first = way === 'walk' ? firstColumn(filter) : null;
  if (first) return foundByIndex(first, now, { newestFirst, offset, limit });
  const page = sql`order by ${byDate(newestFirst ? 'newest' : 'oldest')} limit ${limit} offset ${offset}`;
  if (way === 'walk') return sql`select p.id from posts p where ${both(isPublic(now), filter)} ${page}`;
  return sql`
    with p as materialized (select p.id, p.published_at from posts p where ${both(isPublic(now), filter)})
    select p.id from p ${page}`;
}

/** A page; the rows are found in an index first and read afterwards, so a far page reads few rows too. */
export async function pageOfPublic(db: Db, filter: PublicFilter, now: Date, page: DatePage): Promise<PublicPost[]> {
  const { rows } = await sql<PublicPost>`
    select ${SUMMARY}, ${page.count ?? sql`null`} as "counted"
    from (${foundByDate(filter, now, page)}) as found
    ${postsOf(sql`found.id`)}
    order by ${byDate(page.sort)}`.execute(db);
  return rows;
}

/** Those of these posts that are public and that a filter lets through, in the order of the ids; of a large blog with a plan that is kept. */
export async function publicAmong(
  db: Db,
  ids: readonly string[],
  filter: PublicFilter,
  { now, isLarge }: { now: Date; isLarge: boolean },
): Promise<PublicPost[]> {
  if (ids.length === 0) return [];
  // Named where it is always the same: it reads by keys, and to plan it takes longer than to run it.
  const name = isLarge && asksForNothing(filter) ? sql.raw('/*named:public-among*/') : sql``;
  const { rows } = await sql<PublicPost>`${name}
    select ${SUMMARY} from unnest(${tokens(ids)}::text::uuid[]) with ordinality as n (id, place)
    ${postsOf(sql`n.id`)}
    where ${both(isPublic(now), filter)}
    order by n.place`.execute(db);
  return rows;
}

/**
 * Whether an index holds what a filter lets through in the order of dates. The others may have to go past all posts to
 * find one.
 */
export const isInOrderOfDates = ({ categoryKey, tagKeys, featured, authorIds, ids }: PublicFilter): boolean =>
  ids === undefined &&
  tagKeys.length === 0 &&
  (authorIds?.length ?? 1) === 1 &&
  [categoryKey, featured, authorIds].filter((condition) => condition !== undefined).length <= 1;
