import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { CommentStatus } from '../comments/rules.ts';

/** A comment as moderators see it. */
export interface ManagedCommentRow {
  id: string;
  body: string;
  parentId: string | null;
  status: CommentStatus;
  createdAt: Date;
  authorId: string;
  authorName: string;
  postId: string;
  postSlug: string | null;
  postTitle: string | null;
  postAuthorId: string;
  reportCount: number;
  heldReason: string | null;
}

const MANAGED = sql`
  c.id, c.body, c.parent_id as "parentId", c.status, c.created_at as "createdAt", c.author_id as "authorId",
  u.name as "authorName", c.post_id as "postId", p.slug as "postSlug", p.title as "postTitle",
  p.author_id as "postAuthorId", c.report_count as "reportCount", c.held_reason as "heldReason"`;

export interface ManagedFilter {
  statuses: readonly CommentStatus[];
  postId: string | undefined;
  /** Only on posts of this author. */
  postAuthorId: string | undefined;
  /** Only those with open reports. */
  reported: boolean;
}

/** Conditions on `posts p`. */
function ofPosts({ postId, postAuthorId }: ManagedFilter): RawBuilder<unknown> {
  const post = postId === undefined ? sql`true` : sql`p.id = ${postId}`;
  return postAuthorId === undefined ? post : sql`${post} and p.author_id = ${postAuthorId}`;
}

/** Those with open reports are few: they are found first, whatever the planner thinks of the posts (`offset 0`). */
const reportedOnes = (filter: ManagedFilter): RawBuilder<unknown> => sql`
  select r.id, r.created_at
  from (select c.id, c.created_at, c.post_id from comments c
        where c.report_count > 0 and c.status = any(${filter.statuses}::text[]) offset 0) as r
  join posts p on p.id = r.post_id where ${ofPosts(filter)}`;

/**
 * Id and time of the comments of a filter: at least the newest `most`. One list per status (and per own post), each read
 * from an index in order and cut there; an order over several would be made by sorting all of them.
 */
function candidates(filter: ManagedFilter, most: number): RawBuilder<unknown> {
  if (filter.reported) return reportedOnes(filter);
  const newest = (where: RawBuilder<unknown>, first = sql``) => sql`
    select c.id, c.created_at from comments c where ${where} order by ${first} c.created_at desc, c.id desc limit ${most}`;
  // The post is compared with a list of one: else the planner, where posts have many comments each, may walk those of all
  // posts in the order of time, past whatever others got since.
  const ofPost = (status: CommentStatus) =>
    newest(sql`c.post_id = any(array[p.id]) and c.status = ${status}`, sql`c.post_id desc,`);
  const everyPost = filter.postId === undefined && filter.postAuthorId === undefined;
  const lists = filter.statuses.map((status) =>
    everyPost
      ? newest(sql`c.status = ${status}`)
      : sql`
        select f.id, f.created_at
        from posts p cross join lateral (${ofPost(status)}) as f
        where ${ofPosts(filter)}`,
  );
  return sql.join(
    lists.map((list) => sql`(${list})`),
    sql` union all `,
  );
}

/** See `pageOfManaged`. */
export const managedQuery = (filter: ManagedFilter, { page, limit }: { page: number; limit: number }) =>
  sql<ManagedCommentRow>`
    select ${MANAGED}
    from (select f.id from (${candidates(filter, page * limit)}) as f
          order by f.created_at desc, f.id desc limit ${limit} offset ${(page - 1) * limit}) as found
    join comments c on c.id = found.id
    join posts p on p.id = c.post_id
    join users u on u.id = c.author_id
    order by c.created_at desc, c.id desc`;

/** A page, newest first. */
export const pageOfManaged = async (db: Db, ...of: Parameters<typeof managedQuery>): Promise<ManagedCommentRow[]> =>
  (await managedQuery(...of).execute(db)).rows;

const countOf = async (db: Db, query: RawBuilder<{ count: number }>): Promise<number> =>
  (await query.execute(db)).rows[0]?.count ?? 0;

/** How many there are. The VISIBLE ones of posts are known without counting them. */
export async function countManaged(db: Db, filter: ManagedFilter): Promise<number> {
  if (filter.reported) return countOf(db, sql`select count(*)::integer as count from (${reportedOnes(filter)}) as f`);
  if (filter.postId === undefined && filter.postAuthorId === undefined) {
    return countOf(
      db,
      sql`select count(*)::integer as count from comments where status = any(${filter.statuses}::text[])`,
    );
  }
  const counts = { VISIBLE: sql`p.comment_count`, HIDDEN: HIDDEN_OF_POST };
  const each = sql.join(
    filter.statuses.map((status) => counts[status]),
    sql` + `,
  );
  return countOf(db, sql`select coalesce(sum(${each}), 0)::integer as count from posts p where ${ofPosts(filter)}`);
}

const HIDDEN_OF_POST = sql`(select count(*) from comments c where c.post_id = p.id and c.status = 'HIDDEN')`;

/** Those of the comments that are there, whoever may manage them. */
export async function findManaged(db: Db, ids: readonly string[]): Promise<Map<string, ManagedCommentRow>> {
  const { rows } = await sql<ManagedCommentRow>`
    select ${MANAGED}
    from comments c join posts p on p.id = c.post_id join users u on u.id = c.author_id
    where c.id = any(${ids}::uuid[]) and c.status <> 'DELETED'`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface ReportRow {
  reason: string;
  reporterId: string;
  reporterName: string;
  createdAt: Date;
  open: boolean;
}

/** The latest reports of a comment, newest first. */
export async function latestReports(db: Db, commentId: string, limit: number): Promise<ReportRow[]> {
  const { rows } = await sql<ReportRow>`
    select r.reason, r.user_id as "reporterId", u.name as "reporterName", r.created_at as "createdAt",
      r.resolved_at is null as open
    from comment_reports r join users u on u.id = r.user_id
    where r.comment_id = ${commentId}
    order by r.created_at desc, r.user_id desc limit ${limit}`.execute(db);
  return rows;
}

/** Writes a decision on locked comments: no rule holds them any more, and their reports are dealt with. */
export async function setStatus(trx: Trx, ids: readonly string[], status: CommentStatus, now: Date): Promise<void> {
  await sql`
    update comments set status = ${status}, held_rule = null, held_reason = null, report_count = 0
    where id = any(${ids}::uuid[])`.execute(trx);
  await sql`
    update comment_reports set resolved_at = ${now}
    where comment_id = any(${ids}::uuid[]) and resolved_at is null`.execute(trx);
}
