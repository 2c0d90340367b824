import { AppError } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import { mayManage, type Writer } from '../rules.ts';
import type { ManagedCommentDetail } from './schemas.ts';
import { findManaged, latestReports } from './store.ts';
import { managedComment } from './views.ts';

/** Reports that are shown of a comment. */
const REPORTS = 100;

/** A comment on a post that the writer manages, with what was reported of it. Throws NOT_FOUND. */
export async function getManagedComment(
  db: Db,
  { writer, id }: { writer: Writer; id: string },
): Promise<ManagedCommentDetail> {
  const row = (await findManaged(db, [id])).get(id);
  if (!row || !mayManage(writer, { authorId: row.postAuthorId })) throw new AppError('NOT_FOUND');
  const reports = await latestReports(db, id, REPORTS);
  return {
    ...managedComment(row),
    reports: reports.map(({ reason, reporterId, reporterName, createdAt, open }) => ({
      reason,
      reporter: { id: reporterId, name: reporterName },
      createdAt: createdAt.toISOString(),
      open,
    })),
  };
}
