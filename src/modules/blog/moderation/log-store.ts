import { sql } from 'kysely';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import type { CommentStatus } from '../comments/rules.ts';

/** What was done to a comment, by a moderator (`actorId`) or a rule. */
export interface NewLogEntry {
  commentId: string;
  postId: string;
  authorId: string | null;
  actorId: string | null;
  rule: string | null;
  /** Null when it was held as it was written. */
  from: CommentStatus | null;
  to: CommentStatus;
  reason: string | null;
}

/** Appends to the moderation log, which the database never lets anybody change. */
export async function appendToLog(trx: Trx, entries: readonly NewLogEntry[], env: Env): Promise<void> {
  const rows = entries.map(
    (e) => sql`(${env.newId()}::uuid, ${e.commentId}::uuid, ${e.postId}::uuid, ${e.authorId}::uuid, ${e.actorId}::uuid,
      ${e.rule}::text, ${e.from}::text, ${e.to}::text, ${e.reason}::text, ${env.now}::timestamptz)`,
  );
  await sql`
    insert into moderation_log (id, comment_id, post_id, author_id, actor_id, rule, from_status, to_status, reason,
      created_at)
    values ${sql.join(rows)}`.execute(trx);
}

export interface LogEntryRow {
  id: string;
  commentId: string;
  postId: string;
  postSlug: string | null;
  postTitle: string | null;
  /** False once the post was deleted. */
  postExists: boolean;
  authorId: string | null;
  authorName: string | null;
  actorId: string | null;
  actorName: string | null;
  rule: string | null;
  from: CommentStatus | null;
  to: CommentStatus;
  reason: string | null;
  createdAt: Date;
}

export interface LogFilter {
  commentId: string | undefined;
  /** Only entries before this one. */
  before: string | null;
  limit: number;
}

/** Entries, newest first. */
export async function selectLog(db: Db, { commentId, before, limit }: LogFilter): Promise<LogEntryRow[]> {
  const conditions = [
    sql`true`,
    ...(commentId === undefined ? [] : [sql`l.comment_id = ${commentId}`]),
    ...(before === null ? [] : [sql`l.id < ${before}`]),
  ];
  const { rows } = await sql<LogEntryRow>`
    select l.id, l.comment_id as "commentId", l.post_id as "postId", p.slug as "postSlug", p.title as "postTitle",
      p.id is not null as "postExists", l.author_id as "authorId", w.name as "authorName", l.actor_id as "actorId",
      a.name as "actorName", l.rule, l.from_status as "from", l.to_status as "to", l.reason, l.created_at as "createdAt"
    from moderation_log l
    left join posts p on p.id = l.post_id
    left join users w on w.id = l.author_id
    left join users a on a.id = l.actor_id
    where ${sql.join(conditions, sql` and `)}
    order by l.id desc limit ${limit}`.execute(db);
  return rows;
}
