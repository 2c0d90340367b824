import { sql } from 'kysely';
import type { Trx } from '../../../platform/db/index.ts';
import type { StoredStatus } from '../comments/rules.ts';

/** Where a comment stands, as its replies need it. */
export interface Place {
  id: string;
  postId: string;
  rootId: string;
  path: readonly string[];
  createdAt: Date;
}

/** What earlier runs made of these sources of comments of the post. */
export async function findImported(trx: Trx, postId: string, sources: readonly string[]): Promise<Map<string, Place>> {
  const { rows } = await sql<Place & { source: string }>`
    select i.source, c.id, c.post_id as "postId", c.root_id as "rootId", c.path, c.created_at as "createdAt"
    from comment_imports i join comments c on c.id = i.comment_id
    where i.post_id = ${postId} and i.source = any(${sources}::text[])`.execute(trx);
  return new Map(rows.map(({ source, ...place }) => [source, place]));
}

/** Those of the comments that are here, of whatever post. */
export async function findPlaces(trx: Trx, ids: readonly string[]): Promise<Map<string, Place>> {
  const { rows } = await sql<Place>`
    select id, post_id as "postId", root_id as "rootId", path, created_at as "createdAt"
    from comments where id = any(${ids}::uuid[])`.execute(trx);
  return new Map(rows.map((place) => [place.id, place]));
}

/** A comment to be stored. */
export interface CommentRow extends Place {
  source: string;
  parentId: string | null;
  authorId: string | null;
  body: string;
  status: StoredStatus;
  textKey: string | null;
}

/** Inserts comments and remembers their sources; the counts are `addToCounts`. */
export async function insertImported(trx: Trx, comments: readonly CommentRow[], now: Date): Promise<void> {
  if (comments.length === 0) return;
  const rows = comments.map(
    (c) => sql`(${c.id}::uuid, ${c.postId}::uuid, ${c.parentId}::uuid, ${c.rootId}::uuid, ${c.path}::uuid[],
      ${c.authorId}::uuid, ${c.body}::text, ${c.status}::text, ${c.textKey}::text, ${c.createdAt}::timestamptz)`,
  );
  await sql`
    insert into comments (id, post_id, parent_id, root_id, path, author_id, body, status, text_key, created_at)
    values ${sql.join(rows)}`.execute(trx);
  await sql`
    insert into comment_imports (post_id, source, comment_id, imported_at)
    select ${comments[0]?.postId}::uuid, source, id, ${now}::timestamptz
    from unnest(${comments.map((c) => c.source)}::text[], ${comments.map((c) => c.id)}::uuid[]) as t (source, id)`.execute(
    trx,
  );
}
