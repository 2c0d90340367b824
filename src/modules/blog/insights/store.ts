import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { TimeWindow } from '../../../platform/http/index.ts';

/** Whose posts are counted; neither: all. */
export interface Counted {
  authorId?: string;
  postId?: string;
}

/** What readers do. */
export const ENGAGEMENTS = ['views', 'likes', 'comments', 'shares'] as const;
export type Engagement = (typeof ENGAGEMENTS)[number];

const iso = (at: number): string => new Date(at).toISOString();

interface Source {
  table: RawBuilder<unknown>;
  /** Its day, or its moment. */
  time: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
  amount: RawBuilder<unknown>;
  /** What else must be true of a row. */
  only: RawBuilder<unknown>;
}

const day = { time: sql`day`, type: sql`date`, only: sql`true` };
const moment = { time: sql`created_at`, type: sql`timestamptz`, amount: sql`count(*)` };

/** The rows behind each counter. */
const SOURCES: Record<Engagement, Source> = {
  views: { ...day, table: sql`post_views`, amount: sql`sum(views)::bigint` },
  shares: { ...day, table: sql`post_shares`, amount: sql`sum(shares)::bigint` },
  likes: { ...moment, table: sql`post_likes`, only: sql`true` },
  comments: { ...moment, table: sql`comments`, only: sql`status = 'VISIBLE'` },
};

const of = ({ authorId, postId }: Counted, column: RawBuilder<unknown>): RawBuilder<unknown> => {
  if (postId !== undefined) return sql`${column} = ${postId}`;
  return authorId === undefined ? sql`true` : sql`${column} in (select id from posts where author_id = ${authorId})`;
};

/** The rows of a source that are within the window: whole days, so that a day is either in it or not. */
const rowsOf = ({ table, time, type, only }: Source, { since, until }: TimeWindow): RawBuilder<unknown> =>
  sql`from ${table} where ${time} >= ${iso(+since)}::${type} and ${time} < ${iso(+until)}::${type} and ${only}`;

const bucketOf = (time: RawBuilder<unknown>, type: RawBuilder<unknown>, { starts }: TimeWindow): RawBuilder<unknown> =>
  sql`width_bucket(${time}, ${starts.map(iso)}::${type}[])`;

export interface Count {
  what: Engagement | 'published';
  /** From 1. */
  bucket: number;
  count: number;
}

/** Counts what readers did, and the posts that became public and are, in one statement. */
export function counting(counted: Counted, window: TimeWindow, now: Date): RawBuilder<Count> {
  const engagement = ENGAGEMENTS.map((what) => {
    const source = SOURCES[what];
    return sql`select ${sql.lit(what)} as what, ${bucketOf(source.time, source.type, window)} as bucket,
      ${source.amount} as count ${rowsOf(source, window)} and ${of(counted, sql`post_id`)} group by 2`;
  });
  const type = sql`timestamptz`;
  const published = sql`select 'published', ${bucketOf(sql`published_at`, type, window)}, count(*) from posts
    where archived_at is null and published_at >= ${iso(+window.since)}::timestamptz
      and published_at < ${iso(+window.until)}::timestamptz and published_at <= ${now}
      and ${counted.authorId === undefined ? sql`true` : sql`author_id = ${counted.authorId}`}
      and ${counted.postId === undefined ? sql`true` : sql`id = ${counted.postId}`}
    group by 2`;
  return sql<Count>`${sql.join([...engagement, published], sql` union all `)}`;
}

export const countBlog = async (db: Db, counted: Counted, window: TimeWindow, now: Date): Promise<Count[]> =>
  (await counting(counted, window, now).execute(db)).rows;

/** The posts of which there is most of something within the window, most first. */
export const topping = (
  counted: Counted,
  window: TimeWindow,
  { by, limit }: { by: Engagement; limit: number },
): RawBuilder<{ id: string }> =>
  sql<{ id: string }>`select post_id as id ${rowsOf(SOURCES[by], window)} and ${of(counted, sql`post_id`)}
    group by post_id order by ${SOURCES[by].amount} desc, post_id desc limit ${limit}`;

export interface TopPost {
  id: string;
  slug: string | null;
  title: string | null;
  publishedAt: Date | null;
  views: number;
  likes: number;
  comments: number;
  shares: number;
}

/** These posts with what each has within the window, in no order. */
async function withCounts(db: Db, ids: readonly string[], window: TimeWindow): Promise<TopPost[]> {
  const counts = ENGAGEMENTS.map((what) => {
    const source = SOURCES[what];
    return sql`(select coalesce(${source.amount}, 0) ${rowsOf(source, window)} and post_id = p.id) as ${sql.ref(what)}`;
  });
  const { rows } = await sql<TopPost>`
    select p.id, p.slug, p.title, p.published_at as "publishedAt", ${sql.join(counts)}
    from posts p where p.id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/** Most first. */
export async function findTopPosts(
  db: Db,
  counted: Counted,
  window: TimeWindow,
  top: { by: Engagement; limit: number },
): Promise<TopPost[]> {
  const { rows } = await topping(counted, window, top).execute(db);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = new Map((await withCounts(db, ids, window)).map((post) => [post.id, post]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Who wrote the post; null: there is none. */
export async function findAuthorOf(db: Db, postId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select author_id as id from posts where id = ${postId}`.execute(db);
  return rows[0]?.id ?? null;
}
