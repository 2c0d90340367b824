import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { userThing } from '../recorded.ts';
import { findUser } from '../users/store.ts';
import { accountExists, deleteMember } from './store.ts';

/** Ends the membership, from the next request on; nothing happens when there is none. NOT_FOUND without the account. */
export async function removeMember(trx: Trx, input: { id: string; userId: string }, env: Env): Promise<void> {
  if (!(await accountExists(trx, input.id))) throw noSuchAccount();
  if (!(await deleteMember(trx, input.id, input.userId))) return;
  const user = await findUser(trx, input.userId);
  if (!user) throw new Error('a member was no user');
  await recordChange(trx, { action: 'member.removed', thing: userThing(user), accountId: input.id }, env);
}
