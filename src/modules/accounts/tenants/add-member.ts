import { AppError, noSuchAccount } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { userThing } from '../recorded.ts';
import { findUser } from '../users/store.ts';
import { accountExists, insertMember } from './store.ts';

/** Makes the user a member of the account; nothing happens to one who is. NOT_FOUND when either does not exist. */
export async function addMember(trx: Trx, input: { id: string; userId: string }, env: Env): Promise<void> {
  if (!(await accountExists(trx, input.id))) throw noSuchAccount();
  const user = await findUser(trx, input.userId);
  if (!user) throw new AppError('NOT_FOUND', { message: 'There is no such user.' });
  if (!(await insertMember(trx, input.id, user.id, env.now))) return;
  await recordChange(trx, { action: 'member.added', thing: userThing(user), accountId: input.id }, env);
}
