import { type RawBuilder, sql } from 'kysely';
import { type Db, texts, tokens, type Trx } from '../../../platform/db/index.ts';
import type { Changes, CountedPost, StoredLike } from './tally.ts';
import { HALF_LIFE_MS, WEIGHTS } from './trend.ts';

/** How long the statements of a transaction wait for a lock before they fail, from now on, in milliseconds. Gives the database's time. */
export async function waitForLocks(trx: Trx, ms: number): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    select now() as now, set_config('lock_timeout', ${String(ms)}::text, true)`.execute(trx);
  return (rows[0] as { now: Date }).now;
}

const PUBLIC_BY_SLUGS = (slugs: readonly string[], now: Date) => sql`
  from post_slugs s join posts p on p.id = s.post_id join post_counters k on k.post_id = s.post_id
  where s.slug = any(${texts(slugs)}::text::text[]) and k.listed_from <= ${now}`;

/**
 * The public posts that have these addresses, or had them before, by address. Their counters are locked until the
 * transaction ends, in order of id: two batches never wait for each other in a circle. What a transaction that was
 * waited for has changed is seen. With `skipLocked`, posts that others have locked are left out.
 */
export async function lockCounters(
  trx: Trx,
  slugs: readonly string[],
  { now, skipLocked }: { now: Date; skipLocked: boolean },
): Promise<Map<string, CountedPost>> {
  const { rows } = await sql<CountedPost & { asked: string }>`
    select s.slug as asked, k.post_id as "postId", k.like_count as likes, k.view_count as views,
      k.share_count as shares, k.trend ${PUBLIC_BY_SLUGS(slugs, now)}
    order by k.post_id for no key update of k ${skipLocked ? sql`skip locked` : sql``}`.execute(trx);
  return new Map(rows.map(({ asked, ...post }) => [asked, post]));
}

/** Which of these addresses lead to public posts, locked or not. */
export async function publicAmong(trx: Trx, slugs: readonly string[], now: Date): Promise<Set<string>> {
  const { rows } = await sql<{ slug: string }>`select s.slug ${PUBLIC_BY_SLUGS(slugs, now)}`.execute(trx);
  return new Set(rows.map((row) => row.slug));
}

/** The ids of the posts that have these addresses, or had them before, in whatever state, by address. */
export async function postsBySlug(db: Db, slugs: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ slug: string; id: string }>`
    select slug, post_id as id from post_slugs where slug = any(${texts(slugs)}::text::text[])`.execute(db);
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}

/** Which of these users like which of these posts. */
export async function findLikes(trx: Trx, pairs: readonly { postId: string; userId: string }[]): Promise<StoredLike[]> {
  const { rows } = await sql<{ postId: string; userId: string; at: Date }>`
    select l.post_id as "postId", l.user_id as "userId", l.created_at as at
    from (select distinct * from unnest(${tokens(pairs.map((l) => l.postId))}::text::uuid[],
                                        ${tokens(pairs.map((l) => l.userId))}::text::uuid[])) as asked (post_id, user_id)
    join post_likes l on l.post_id = asked.post_id and l.user_id = asked.user_id`.execute(trx);
  return rows.map(({ at, ...like }) => ({ ...like, at: at.getTime() }));
}

const pairsOf = (likes: Changes['added']) => sql`unnest(
  ${tokens(likes.map((l) => l.postId))}::text::uuid[], ${tokens(likes.map((l) => l.userId))}::text::uuid[])
  as n (post_id, user_id)`;

/** Likes that were there already stay as they are: the caller holds the lock under which it looked. */
export async function insertLikes(trx: Trx, likes: Changes['added'], now: Date): Promise<void> {
  if (likes.length === 0) return;
  await sql`
    insert into post_likes (post_id, user_id, created_at)
    select n.post_id, n.user_id, ${now} from ${pairsOf(likes)}`.execute(trx);
}

export async function deleteLikes(trx: Trx, likes: Changes['removed']): Promise<void> {
  if (likes.length === 0) return;
  await sql`
    delete from post_likes l using ${pairsOf(likes)}
    where l.post_id = n.post_id and l.user_id = n.user_id`.execute(trx);
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/** Adds to the views of the day, in UTC. */
export async function addViews(trx: Trx, views: Changes['views'], now: Date): Promise<void> {
  if (views.length === 0) return;
  await sql`
    insert into post_views (post_id, day, views)
    select n.post_id, ${dayOf(now)}::text::date, n.count
    from unnest(${tokens(views.map((v) => v.postId))}::text::uuid[], ${tokens(views.map((v) => v.count))}::text::bigint[])
      as n (post_id, count)
    on conflict (post_id, day) do update set views = post_views.views + excluded.views`.execute(trx);
}

/** Adds to the shares of the day, in UTC, by channel. */
export async function addShares(trx: Trx, shares: Changes['shares'], now: Date): Promise<void> {
  if (shares.length === 0) return;
  await sql`
    insert into post_shares (post_id, day, channel, shares)
    select n.post_id, ${dayOf(now)}::text::date, n.channel, n.count
    from unnest(${tokens(shares.map((s) => s.postId))}::text::uuid[],
                ${texts(shares.map((s) => s.channel))}::text::text[],
                ${tokens(shares.map((s) => s.count))}::text::bigint[]) as n (post_id, channel, count)
    on conflict (post_id, day, channel) do update set shares = post_shares.shares + excluded.shares`.execute(trx);
}

/** Terms far below the largest one add nothing, and must not underflow. */
const LEAST_TERM = -60;
/** So many likes of a post stand for all of it: its counters are locked meanwhile. */
const MOST_LIKES = 5000;

/**
 * The trends of these posts, by what is stored of them (trend.ts); without those of which nothing is. A view or a share is stored by its day (UTC) and counts as at noon,
 * but nothing as later than now. Their counters must be locked.
 */
export async function findTrends(trx: Trx, posts: readonly CountedPost[], now: Date): Promise<Map<string, number>> {
  const halfLives = (time: string): RawBuilder<unknown> =>
    sql`(extract(epoch from least(${sql.raw(time)}, ${now}::timestamptz)) * 1000 / ${HALF_LIFE_MS}::bigint)::double precision`;
  const log2 = (value: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`ln((${value})::double precision) / ln(2::double precision)`;
  const noon = halfLives(`(day + time '12:00') at time zone 'UTC'`);
  const { rows } = await sql<{ postId: string; trend: number }>`
    with asked as (
      select * from unnest(${tokens(posts.map((c) => c.postId))}::text::uuid[], ${tokens(posts.map((c) => c.likes))}::text::integer[]) as a (post_id, likes)
    ), terms as materialized (
      select post_id, l.at + ${log2(sql`${WEIGHTS.like}::integer * greatest(1, likes / ${MOST_LIKES}::double precision)`)} as term
        from asked cross join lateral (
          select ${halfLives('created_at')} as at from post_likes where post_id = asked.post_id limit ${MOST_LIKES}
        ) as l
      union all select post_id, ${noon} + ${log2(sql`${WEIGHTS.view}::integer * views`)} from asked join post_views using (post_id)
      union all select post_id, ${noon} + ${log2(sql`${WEIGHTS.share}::integer * shares`)} from asked join post_shares using (post_id)
    ), largest as (select post_id, max(term) as most from terms group by post_id)
    select post_id as "postId",
      most + ${log2(sql`sum(power(2, greatest(term - most, ${LEAST_TERM}::double precision)))`)} as trend
    from terms join largest using (post_id) group by post_id, most`.execute(trx);
  return new Map(rows.map((row) => [row.postId, row.trend]));
}

/** Sets counters, which must be locked. */
export async function updateCounters(trx: Trx, counters: Changes['counters']): Promise<void> {
  if (counters.length === 0) return;
  await sql`
    update post_counters k
    set like_count = n.likes, view_count = n.views, share_count = n.shares, trend = n.trend
    from unnest(${tokens(counters.map((c) => c.postId))}::text::uuid[],
                ${tokens(counters.map((c) => c.likes))}::text::integer[],
                ${tokens(counters.map((c) => c.views))}::text::bigint[],
                ${tokens(counters.map((c) => c.shares))}::text::bigint[],
                ${tokens(counters.map((c) => c.trend))}::text::double precision[])
      as n (post_id, likes, views, shares, trend)
    where k.post_id = n.post_id`.execute(trx);
}
