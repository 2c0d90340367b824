import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange, recordDifference } from '../../changes/index.ts';
import { userThing, userValues } from '../recorded.ts';
import type { UserRow } from './store.ts';

/** One entry for each kind of change: who looks for disabled users, or for passwords, finds these by their action. */
export async function recordUserChange(trx: Trx, before: UserRow, after: UserRow, env: Env): Promise<void> {
  const change = { thing: userThing(after), accountId: null };
  const values = { before: userValues(before), after: userValues(after) };
  await recordDifference(trx, { ...change, ...values, action: 'user.updated' }, env);
  if (after.password_hash !== before.password_hash) {
    await recordChange(trx, { ...change, action: 'user.password_changed' }, env);
  }
  const isDisabled = after.disabled_at !== null;
  if (isDisabled === (before.disabled_at !== null)) return;
  await recordChange(trx, { ...change, action: isDisabled ? 'user.disabled' : 'user.enabled' }, env);
}
