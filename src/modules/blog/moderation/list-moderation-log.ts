import { invalid } from '../../../contracts/errors.ts';
import { isUuid } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Writer } from '../rules.ts';
import { requireEditor } from './require-editor.ts';
import { type LogEntryRow, selectLog } from './log-store.ts';
import type { ModerationEntry, ModerationLogQuery } from './schemas.ts';

/** Cursors are opaque: the last id of the page before. */
function decode(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw invalid({ path: 'query.cursor', message: 'is not a cursor of this list' });
  return id;
}

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
  const before = cursor === undefined ? null : decode(cursor);
  const rows = await selectLog(db, { commentId, before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(entryOf),
    nextCursor: rows.length > limit && last ? Buffer.from(last.id).toString('base64url') : null,
  };
}
