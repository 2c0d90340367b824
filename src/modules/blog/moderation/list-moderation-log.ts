import type { Db } from '../../../platform/db/index.ts';
import { idOfCursor, toCursorPage } from '../../../platform/http/index.ts';
import type { Writer } from '../rules.ts';
import { requireEditor } from './require-editor.ts';
import { type LogEntryRow, selectLog } from './log-store.ts';
import type { ModerationEntry, ModerationLogQuery } from './schemas.ts';

const person = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });

const entryOf = (row: LogEntryRow): ModerationEntry => ({
  id: row.id,
  commentId: row.commentId,
  post: row.postExists ? { id: row.postId, slug: row.postSlug, title: row.postTitle } : null,
  author: person(row.authorId, row.authorName),
  actor: person(row.actorId, row.actorName),
  rule: row.rule,
  from: row.from,
  to: row.to,
  reason: row.reason,
  createdAt: row.createdAt.toISOString(),
});

/** What moderators and rules did, newest first, for editors. Throws FORBIDDEN, VALIDATION_ERROR. */
export async function listModerationLog(
  db: Db,
  { writer, query }: { writer: Writer; query: ModerationLogQuery },
): Promise<{ data: ModerationEntry[]; nextCursor: string | null }> {
  requireEditor(writer);
  const { cursor, limit, commentId } = query;
  const rows = await selectLog(db, { commentId, before: idOfCursor(cursor), limit: limit + 1 });
  const { data, nextCursor } = toCursorPage(rows, limit);
  return { data: data.map(entryOf), nextCursor };
}
