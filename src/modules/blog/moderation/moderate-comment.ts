import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { OnCounted } from '../comments/store.ts';
import type { Writer } from '../rules.ts';
import { moderateComments } from './moderate-comments.ts';
import type { Decision, ManagedComment } from './schemas.ts';
import { findManaged } from './store.ts';
import { managedComment } from './views.ts';

/**
 * Shows or hides one comment (interface.md §3.2); with the status it has already, nothing changes but
 * that what waited for a decision has one: reports, and what a rule held. Throws NOT_FOUND.
 */
export async function moderateComment(
  trx: Trx,
  { id, ...input }: Decision & { writer: Writer; id: string },
  env: Env,
  counted: OnCounted,
): Promise<ManagedComment> {
  const { data } = await moderateComments(trx, { ...input, ids: [id] }, env, counted);
  const row = (await findManaged(trx, [id])).get(id);
  if (!row || data[0]?.outcome === 'NOT_FOUND') throw new AppError('NOT_FOUND');
  return managedComment(row);
}
