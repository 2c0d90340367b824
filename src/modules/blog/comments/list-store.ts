import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { isPublic } from '../reading/store.ts';
import type { StoredStatus } from './rules.ts';

/** A comment as it is listed. */
export interface ListedComment {
  id: string;
  parentId: string | null;
  path: string[];
  status: StoredStatus;
  body: string;
  createdAt: Date;
  authorId: string | null;
  authorName: string | null;
}

/** A top comment with how many VISIBLE comments its thread has, itself included. */
export interface ListedThread extends ListedComment {
  threadVisible: number;
}

/** Of `comments c` and `users u`: a new name moves the version that ready-made replies follow. */
const LISTED = sql`
  c.id, c.parent_id as "parentId", c.path, c.status, c.body, c.created_at as "createdAt", c.author_id as "authorId",
  u.name as "authorName"`;

/** The post of comments, with a mark of what they show. */
export interface Commented {
  id: string;
  /** The present one. */
  slug: string;
  /**
   * Which transaction wrote the post's row last. Whatever readers see of its comments changes with the counts in that row (see
   * `addToCounts`), so the mark is another one afterwards, as long as the server gives no number of a transaction again.
   */
  mark: string;
}

const COMMENTED = sql`p.id, p.slug, p.xmin::text as mark`;

const byAsked = (rows: readonly (Commented & { asked: string })[]): Map<string, Commented> =>
  new Map(rows.map(({ asked, ...post }) => [asked, post]));

/** The public posts that have these slugs, or had them before, by slug. */
export async function commentedBySlug(db: Db, slugs: readonly string[], now: Date): Promise<Map<string, Commented>> {
  const { rows } = await sql<Commented & { asked: string }>`
    select s.slug as asked, ${COMMENTED} from post_slugs s join posts p on p.id = s.post_id
    where s.slug = any(${slugs}::text[]) and ${isPublic(now)}`.execute(db);
  return byAsked(rows);
}

/** The public posts of these listed threads, by the id of the top comment. */
export async function commentedByThread(db: Db, ids: readonly string[], now: Date): Promise<Map<string, Commented>> {
  const { rows } = await sql<Commented & { asked: string }>`
    select c.id as asked, ${COMMENTED} from comments c join posts p on p.id = c.post_id
    where c.id = any(${ids}::uuid[]) and c.parent_id is null and c.listed and ${isPublic(now)}`.execute(db);
  return byAsked(rows);
}

/** How many threads of the post are listed. */
export async function countThreads(db: Db, postId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select comment_threads as count from posts where id = ${postId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A page of the listed threads; found in an index first and read afterwards, so a far page reads few rows too. */
export async function pageOfThreads(
  db: Db,
  postId: string,
  { sort, page, limit }: { sort: 'oldest' | 'newest'; page: number; limit: number },
): Promise<ListedThread[]> {
  const order = sort === 'newest' ? sql`c.created_at desc, c.id desc` : sql`c.created_at, c.id`;
  const { rows } = await sql<ListedThread>`
    select ${LISTED}, c.thread_visible as "threadVisible"
    from (select c.id from comments c where c.post_id = ${postId} and c.parent_id is null and c.listed
          order by ${order} limit ${limit} offset ${(page - 1) * limit}) as found
    join comments c on c.id = found.id
    left join users u on u.id = c.author_id
    order by ${order}`.execute(db);
  return rows;
}

/**
 * Ids only, so that they are found in an index alone. The thread is compared with a list of one: else the planner, where it takes a
 * thread for a large part of all comments, may walk those of all posts in the order of time, past whatever else was written.
 */
const visibleReplies = (rootId: RawBuilder<unknown>, limit: number, offset = 0): RawBuilder<unknown> => sql`
  select r.id from comments r where r.root_id = any(array[${rootId}]::uuid[]) and r.parent_id is not null and r.status = 'VISIBLE'
  order by r.root_id, r.created_at, r.id limit ${limit} offset ${offset}`;

/** See `firstReplies`. */
export const firstRepliesQuery = (rootIds: readonly string[], each: number) => sql<ListedComment>`
  select ${LISTED}
  from unnest(${rootIds}::uuid[]) as root (id)
  cross join lateral (${visibleReplies(sql`root.id`, each)}) as found
  join comments c on c.id = found.id
  left join users u on u.id = c.author_id`;

/** The first VISIBLE replies of each thread, at any depth: at most `each` of a thread. */
export const firstReplies = async (db: Db, rootIds: readonly string[], each: number): Promise<ListedComment[]> =>
  (await firstRepliesQuery(rootIds, each).execute(db)).rows;

/** See `pageOfReplies`. */
export const pageOfRepliesQuery = (rootId: string, { page, limit }: { page: number; limit: number }) =>
  sql<ListedComment>`
    select ${LISTED} from (${visibleReplies(sql`${rootId}`, limit, (page - 1) * limit)}) as found
    join comments c on c.id = found.id
    left join users u on u.id = c.author_id
    order by c.created_at, c.id`;

/** A page of the VISIBLE replies of a thread, at any depth, oldest first. */
export const pageOfReplies = async (db: Db, ...of: Parameters<typeof pageOfRepliesQuery>): Promise<ListedComment[]> =>
  (await pageOfRepliesQuery(...of).execute(db)).rows;

/** Comments in whatever status. */
export async function findComments(db: Db, ids: readonly string[]): Promise<ListedComment[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ListedComment>`
    select ${LISTED} from comments c left join users u on u.id = c.author_id
    where c.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

/** The top comment of a listed thread of a post that is public, or null. */
export async function findListedThread(db: Db, id: string, now: Date): Promise<ListedThread | null> {
  const { rows } = await sql<ListedThread>`
    select ${LISTED}, c.thread_visible as "threadVisible"
    from comments c join posts p on p.id = c.post_id left join users u on u.id = c.author_id
    where c.id = ${id} and c.parent_id is null and c.listed
      and ${isPublic(now)}`.execute(db);
  return rows[0] ?? null;
}
