import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { Sort } from '../schemas.ts';
import type { PublicPost } from './public-post.ts';
import type { PlaceOfPage, WayOfTag } from './way-to.ts';
import {
  fromTagged,
  isPublic,
  isTagged,
  matches,
  matchesTagged,
  postsOf,
  type PublicFilter,
  SUMMARY,
} from './store.ts';

export type CounterSort = Exclude<Sort, 'newest' | 'oldest' | 'relevance'>;

/** Each is the order of one index; ties go by id, so an order is total. Highest first. */
const ORDERS: Record<CounterSort, readonly [value: RawBuilder<unknown>, id: RawBuilder<unknown>]> = {
  most_viewed: [sql`k.view_count`, sql`k.post_id`],
  most_liked: [sql`k.like_count`, sql`k.post_id`],
  most_shared: [sql`k.share_count`, sql`k.post_id`],
  trending: [sql`k.trend`, sql`k.post_id`],
  most_commented: [sql`p.comment_count`, sql`p.id`],
};

const orderOf = (sort: CounterSort, fromEnd: boolean): RawBuilder<unknown> => {
  const [value, id] = ORDERS[sort];
  return fromEnd ? sql`${value}, ${id}` : sql`${value} desc, ${id} desc`;
};

/** Whether an order moves with the counters of posts. */
export const isCounterSort = (sort: Sort): sort is CounterSort => Object.hasOwn(ORDERS, sort);

export interface CounterPage extends PlaceOfPage {
  sort: CounterSort;
  /**
   * `walk` goes along the order's index until the page is full, `gather` sorts all that match: see `wayTo`. `hold` is for
   * filters with a tag: see `wayToTagged`; of others it is `walk`.
   */
  way: WayOfTag;
  /** A number that is read in the same statement. */
  count?: RawBuilder<number>;
}

/**
 * The counters of `p`, each by its key. As a plain join, ten thousand posts made the planner read all million counters
 * (measured: 250 ms instead of 50).
 */
const COUNTERS_ONE_BY_ONE = sql`
  cross join lateral (select * from post_counters c where c.post_id = p.id offset 0) k`;

/** The same of a filter that asks for tags, which is answered by `post_tags`. */
function foundTagged(filter: PublicFilter, now: Date, counterPage: CounterPage): RawBuilder<unknown> {
  const { sort, limit, offset, fromEnd, way } = counterPage;
  const page = sql`order by ${orderOf(sort, fromEnd)} limit ${limit} offset ${offset}`;
  const [from, tagged] = [fromTagged(filter), matchesTagged(filter)];
  const byComments = sort === 'most_commented';
  if (way === 'gather') {
    const counters = byComments
      ? sql`cross join lateral (select c.id, c.comment_count from posts c where c.id = t.post_id offset 0) p`
      : sql`cross join lateral (select c.* from post_counters c where c.post_id = t.post_id offset 0) k`;
    return sql`
      with t as materialized (select t.post_id from ${from} where t.published_at <= ${now} and ${tagged})
      select t.post_id as id from t ${counters} ${page}`;
  }
  const isTagged = (at: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
    way === 'hold'
      ? // As a condition by itself the planner would make a join of it, and sort what it gives.
        sql`(${id} in (select t.post_id from ${from} where ${tagged})) is true`
      : sql`exists (select from ${from} where t.published_at = ${at} and t.post_id = ${id} and ${tagged} offset 0)`;
  return byComments
    ? sql`select p.id from posts p where ${isPublic(now)} and ${isTagged(sql`p.published_at`, sql`p.id`)} ${page}`
    : sql`select k.post_id as id from post_counters k
        where k.listed_from <= ${now} and ${isTagged(sql`k.listed_from`, sql`k.post_id`)} ${page}`;
}

/** The statement that finds the ids of a page, in one of two ways. */
export function found(filter: PublicFilter, now: Date, counterPage: CounterPage): RawBuilder<unknown> {
  const { sort, limit, offset, fromEnd, way } = counterPage;
  const page = sql`order by ${orderOf(sort, fromEnd)} limit ${limit} offset ${offset}`;
  if (isTagged(filter)) return foundTagged(filter, now, counterPage);
  const conditions = matches(filter);
  const where = (listed: RawBuilder<unknown>) => sql`where ${sql.join([listed, ...conditions], sql` and `)}`;
  if (way === 'gather') {
    return sql`
      with p as materialized (select p.id, p.comment_count from posts p ${where(isPublic(now))})
      select p.id from p ${sort === 'most_commented' ? sql`` : COUNTERS_ONE_BY_ONE} ${page}`;
  }
  if (sort === 'most_commented') return sql`select p.id from posts p ${where(isPublic(now))} ${page}`;
  const posts = conditions.length === 0 ? sql`` : sql`join posts p on p.id = k.post_id`;
  return sql`select k.post_id as id from post_counters k ${posts} ${where(sql`k.listed_from <= ${now}`)} ${page}`;
}

/** A page in the order of a counter; the rows are found first and read afterwards. */
export async function pageByCounter(db: Db, filter: PublicFilter, now: Date, page: CounterPage): Promise<PublicPost[]> {
  const { rows } = await sql<PublicPost>`
    select ${SUMMARY}, ${page.count ?? sql`null`} as "counted"
    from (${found(filter, now, page)}) as found ${postsOf(sql`found.id`)}
    order by ${orderOf(page.sort, false)}`.execute(db);
  return rows;
}
