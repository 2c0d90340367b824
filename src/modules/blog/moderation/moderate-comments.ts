import type { Env, Trx } from '../../../platform/db/index.ts';
import type { CommentStatus } from '../comments/rules.ts';
import { addToCounts, type LockedComment, lockComments, type OnCounted } from '../comments/store.ts';
import { mayManage, type Writer } from '../rules.ts';
import { appendToLog } from './log-store.ts';
import type { BulkOutcome, Decision } from './schemas.ts';
import { findManaged, setStatus } from './store.ts';

export interface ModerateCommentsInput extends Decision {
  writer: Writer;
  ids: readonly string[];
}

/** A comment that has its status already is decided on all the same when a rule holds it, or reports are to be dealt with. */
const changes = (comment: LockedComment, to: CommentStatus): boolean =>
  comment.status !== to || comment.held || comment.reportCount > 0;

const visibleDelta = (comment: LockedComment, to: CommentStatus): number =>
  (to === 'VISIBLE' ? 1 : 0) - (comment.status === 'VISIBLE' ? 1 : 0);

/**
 * Shows or hides comments on posts that the writer manages, each with its entry in the moderation log, and says for
 * each what became of it; all in one transaction. A comment of another's post is NOT_FOUND, as one that is not there.
 */
export async function moderateComments(
  trx: Trx,
  { writer, ids, status: to, reason }: ModerateCommentsInput,
  env: Env,
  counted: OnCounted,
): Promise<BulkOutcome> {
  const locked = await lockComments(trx, ids);
  // After the locks, so that what is managed is what is there now.
  const managed = await findManaged(trx, ids);
  const own = [...new Set(ids)].flatMap((id) => {
    const row = managed.get(id);
    const comment = locked.get(id);
    return row && comment && mayManage(writer, { authorId: row.postAuthorId }) ? [comment] : [];
  });
  const changed = own.filter((comment) => changes(comment, to));
  if (changed.length > 0) {
    await setStatus(
      trx,
      changed.map((c) => c.id),
      to,
      env.now,
    );
    await appendToLog(
      trx,
      changed.map((c) => ({
        commentId: c.id,
        postId: c.postId,
        authorId: c.authorId,
        actorId: writer.id,
        rule: null,
        from: c.status === 'DELETED' ? null : c.status,
        to,
        reason: reason?.trim() || null,
      })),
      env,
    );
    await addToCounts(
      trx,
      changed.map((c) => ({ ...c, delta: visibleDelta(c, to) })),
      counted,
    );
  }
  const outcomes = new Map<string, 'CHANGED' | 'UNCHANGED'>([
    ...own.map((c) => [c.id, 'UNCHANGED'] as const),
    ...changed.map((c) => [c.id, 'CHANGED'] as const),
  ]);
  return {
    data: ids.map((id) => {
      const outcome = outcomes.get(id);
      return { id, outcome: outcome ?? 'NOT_FOUND', status: outcome === undefined ? null : to };
    }),
  };
}
