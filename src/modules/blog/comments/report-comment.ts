import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { FlagDeps } from './create-comment.ts';
import { cleanText, REASON_MAX } from './rules.ts';
import { insertReport, isPublicPost, lockComments } from './store.ts';

export interface ReportCommentInput {
  id: string;
  userId: string;
  reason: string;
}

/**
 * Stores what a reader has against a visible comment, with its event; once per user and comment, and again changes
 * nothing. Throws NOT_FOUND for what readers cannot see, VALIDATION_ERROR.
 */
export async function reportComment(
  trx: Trx,
  input: ReportCommentInput,
  env: Env,
  { publish, marketplaceId }: FlagDeps,
): Promise<void> {
  const reason = cleanText(input.reason, REASON_MAX, 'body.reason');
  const comment = (await lockComments(trx, [input.id])).get(input.id);
  if (!comment || comment.status !== 'VISIBLE' || !(await isPublicPost(trx, comment.postId, env.now))) {
    throw new AppError('NOT_FOUND');
  }
  const { id, postId, authorId } = comment;
  if (!(await insertReport(trx, { comment, userId: input.userId, reason, now: env.now }))) return;
  await publish(
    trx,
    'moderation.flagged',
    {
      targetType: 'COMMENT',
      targetId: id,
      ...(authorId === null ? {} : { targetUserId: await marketplaceId(trx, authorId) }),
      source: 'REPORT',
      reason,
      reporterUserId: await marketplaceId(trx, input.userId),
      postId,
    },
    { accountIds: [] },
    env,
  );
}
