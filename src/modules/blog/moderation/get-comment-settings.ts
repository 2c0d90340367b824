import type { Db } from '../../../platform/db/index.ts';
import type { Writer } from '../rules.ts';
import { requireEditor } from './require-editor.ts';
import type { CommentSettings } from './schemas.ts';
import { readCommentSettings } from './settings-store.ts';

/** What holds new comments back, for editors. Throws FORBIDDEN. */
export async function getCommentSettings(db: Db, { writer }: { writer: Writer }): Promise<CommentSettings> {
  requireEditor(writer);
  const { updatedAt, updatedBy, updatedByName, ...settings } = await readCommentSettings(db);
  return {
    ...settings,
    blockedWords: [...settings.blockedWords],
    updatedAt: updatedAt?.toISOString() ?? null,
    updatedBy: updatedBy === null ? null : { id: updatedBy, name: updatedByName ?? '' },
  };
}
