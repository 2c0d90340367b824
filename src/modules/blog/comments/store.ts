import { sql } from 'kysely';
import { afterCommit, type Db, type Trx } from '../../../platform/db/index.ts';
import type { StoredStatus } from './rules.ts';

/** A public post as a comment needs it. */
export interface CommentedPost {
  id: string;
  authorId: string;
  /** The present slug; another than the one asked for when that is an old one. */
  slug: string;
}

/** Public at a time: the same decision as `stateOf` in ../rules.ts. */
const PUBLIC_BY_SLUG = (slug: string, now: Date) => sql`
  from post_slugs s join posts p on p.id = s.post_id
  where s.slug = ${slug} and p.archived_at is null and p.published_at <= ${now}`;

/** The public post that has this slug, or had it before, or null. */
export async function findPublicPost(db: Db, slug: string, now: Date): Promise<CommentedPost | null> {
  const { rows } = await sql<CommentedPost>`
    select p.id, p.author_id as "authorId", p.slug ${PUBLIC_BY_SLUG(slug, now)}`.execute(db);
  return rows[0] ?? null;
}

/**
 * The same, and it stays public and there until the transaction ends. The lock (FOR KEY SHARE) comes before those on
 * comments and lets other commenters pass; only an edit or a removal of the post waits for it, and it for them.
 */
export async function holdPublicPost(trx: Trx, slug: string, now: Date): Promise<CommentedPost | null> {
  const { rows } = await sql<CommentedPost>`
    select p.id, p.author_id as "authorId", p.slug ${PUBLIC_BY_SLUG(slug, now)} for key share of p`.execute(trx);
  return rows[0] ?? null;
}

/** A comment whose row is locked. */
export interface LockedComment {
  id: string;
  postId: string;
  parentId: string | null;
  rootId: string;
  path: string[];
  authorId: string | null;
  status: StoredStatus;
  reportCount: number;
  /** A rule holds it, and nobody has decided on it yet. */
  held: boolean;
  /** Of a top comment: VISIBLE comments in its thread. */
  threadVisible: number;
}

/**
 * Locks comments together with the tops of their threads, by id, after holding their posts, by id. Every transaction
 * that changes comments locks in this order and changes posts last, again by id: so none of them ever waits in a circle.
 * With a post, only its own comments are found: one that holds a post already must not wait for another.
 */
export async function lockComments(
  trx: Trx,
  ids: readonly string[],
  ofPost?: string,
): Promise<Map<string, LockedComment>> {
  const { rows: found } = await sql<{ id: string; rootId: string; postId: string }>`
    select id, root_id as "rootId", post_id as "postId" from comments
    where id = any(${ids}::uuid[]) and ${ofPost === undefined ? sql`true` : sql`post_id = ${ofPost}`}`.execute(trx);
  if (found.length === 0) return new Map();
  await sql`
    select id from posts where id = any(${found.map((f) => f.postId)}::uuid[]) order by id for key share`.execute(trx);
  // In one statement: a row that was waited for is given as it is after the wait.
  const { rows } = await sql<LockedComment>`
    select id, post_id as "postId", parent_id as "parentId", root_id as "rootId", path, author_id as "authorId", status,
      report_count as "reportCount", held_reason is not null as held, thread_visible as "threadVisible"
    from comments where id = any(${found.flatMap((f) => [f.id, f.rootId])}::uuid[])
    order by id for no key update`.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface NewComment {
  id: string;
  postId: string;
  parentId: string | null;
  rootId: string;
  path: readonly string[];
  authorId: string;
  body: string;
  status: 'VISIBLE' | 'HIDDEN';
  held: { rule: string; reason: string } | null;
  textKey: string;
  createdAt: Date;
}

/** Inserts the row; the counts are `addToCounts`. */
export async function insertComment(trx: Trx, comment: NewComment): Promise<void> {
  const { held } = comment;
  await sql`
    insert into comments (id, post_id, parent_id, root_id, path, author_id, body, status, held_rule, held_reason,
      text_key, created_at)
    values (${comment.id}, ${comment.postId}, ${comment.parentId}, ${comment.rootId}, ${comment.path}::uuid[],
      ${comment.authorId}, ${comment.body}, ${comment.status}, ${held?.rule ?? null}, ${held?.reason ?? null},
      ${comment.textKey}, ${comment.createdAt})`.execute(trx);
}

/** Empties a comment that its author deletes: nothing of the person or the text stays, also not in reports. */
export async function eraseComment(trx: Trx, id: string): Promise<void> {
  await sql`
    update comments set status = 'DELETED', author_id = null, body = '', text_key = null, held_rule = null,
      held_reason = null, report_count = 0
    where id = ${id}`.execute(trx);
  await sql`delete from comment_reports where comment_id = ${id}`.execute(trx);
}

/** What a change does to the number of VISIBLE comments. */
export interface CountChange {
  postId: string;
  rootId: string;
  delta: number;
}

/** Told of the posts whose counters a transaction has changed, after its commit. */
export type OnCounted = (postIds: readonly string[]) => void;

const sums = (pairs: readonly (readonly [string, number])[]): [string, number][] => {
  const byKey = new Map<string, number>();
  for (const [key, value] of pairs) byKey.set(key, (byKey.get(key) ?? 0) + value);
  // Ids are lower-case hexadecimal: in this order the database sorts them too.
  return [...byKey].filter(([, value]) => value !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
};

/**
 * Keeps `thread_visible`, `comment_count` and `comment_threads` equal to the rows. The threads' top comments must be
 * locked. The last thing that a transaction does, since every comment of a post waits for the post's row.
 */
export async function addToCounts(trx: Trx, changes: readonly CountChange[], counted: OnCounted): Promise<void> {
  const threads = sums(changes.map((c) => [c.rootId, c.delta]));
  if (threads.length === 0) return;
  const { rows } = await sql<{ postId: string; visible: number; delta: number }>`
    update comments c set thread_visible = c.thread_visible + t.delta
    from unnest(${threads.map(([id]) => id)}::uuid[], ${threads.map(([, delta]) => delta)}::integer[]) as t (id, delta)
    where c.id = t.id
    returning c.post_id as "postId", c.thread_visible as visible, t.delta`.execute(trx);
  const listed = new Map(
    sums(rows.map(({ postId, visible, delta }) => [postId, Number(visible > 0) - Number(visible - delta > 0)])),
  );
  const comments = new Map(sums(changes.map((c) => [c.postId, c.delta])));
  afterCommit(trx, () => counted([...comments.keys()]));
  for (const postId of [...new Set([...listed.keys(), ...comments.keys()])].toSorted()) {
    await sql`
      update posts set comment_count = comment_count + ${comments.get(postId) ?? 0},
        comment_threads = comment_threads + ${listed.get(postId) ?? 0}
      where id = ${postId}`.execute(trx);
  }
}

/** Comments of one author are judged one after the other, so that many at once are found to repeat each other. */
export async function lockAuthor(trx: Trx, authorId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`comments of ${authorId}`}, 0))`.execute(trx);
}

/** Whether the author has written a text of this key since then: anywhere, or under one post. */
export async function wroteSince(
  trx: Trx,
  authorId: string,
  { key, since, postId }: { key: string; since: Date; postId: string | null },
): Promise<boolean> {
  const where = postId === null ? sql`true` : sql`post_id = ${postId}`;
  const { rows } = await sql`
    select 1 from comments where author_id = ${authorId} and text_key = ${key} and created_at > ${since} and ${where}
    limit 1`.execute(trx);
  return rows.length > 0;
}

/** Stores a report; false when this user has reported this comment before. The comment must be locked. */
export async function insertReport(
  trx: Trx,
  report: { comment: LockedComment; userId: string; reason: string; now: Date },
): Promise<boolean> {
  const { comment, userId, reason, now } = report;
  const { rows } = await sql`
    insert into comment_reports (comment_id, user_id, post_id, reason, created_at)
    values (${comment.id}, ${userId}, ${comment.postId}, ${reason}, ${now})
    on conflict (comment_id, user_id) do nothing returning comment_id`.execute(trx);
  if (rows.length === 0) return false;
  await sql`update comments set report_count = report_count + 1 where id = ${comment.id}`.execute(trx);
  return true;
}

/** Whether readers can see the post now. */
export async function isPublicPost(db: Db, postId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from posts p where p.id = ${postId} and p.archived_at is null and p.published_at <= ${now}`.execute(db);
  return rows.length > 0;
}
