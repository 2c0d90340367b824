import type { SessionCaller } from '../../../contracts/caller.ts';
import { AppError, invalid } from '../../../contracts/errors.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import type { Passwords } from '../passwords.ts';
import { userThing } from '../recorded.ts';
import { findUser, lockUser, updateUserRow } from '../users/store.ts';
import { revokeSessions } from './store.ts';

export interface PreparedPassword {
  /** The hash that the given current password was verified against. */
  currentHash: string;
  newHash: string;
}

const wrong = (): AppError => invalid({ path: 'body.currentPassword', message: 'is not the current password' });

/**
 * First step, outside a transaction. VALIDATION_ERROR on `body.currentPassword` when it is wrong (not 401: the session
 * itself is fine), and on `body.newPassword` when it is the same; INVALID_STATE for a user without password.
 */
export async function preparePassword(
  db: Db,
  caller: SessionCaller,
  input: { currentPassword: string; newPassword: string },
  passwords: Passwords,
): Promise<PreparedPassword> {
  const currentHash = (await findUser(db, caller.userId))?.password_hash ?? null;
  if (currentHash === null) {
    throw new AppError('INVALID_STATE', { message: 'This user signs in with an outside identity provider.' });
  }
  if (!(await passwords.verify(input.currentPassword, currentHash))) throw wrong();
  if (input.newPassword === input.currentPassword)
    throw invalid({ path: 'body.newPassword', message: 'is the current password' });
  return { currentHash, newHash: await passwords.hash(input.newPassword) };
}

/** Second step: sets the password and ends all other sessions of the user. */
export async function changePassword(
  trx: Trx,
  caller: SessionCaller,
  password: PreparedPassword,
  env: Env,
): Promise<void> {
  const user = await lockUser(trx, caller.userId);
  if (user?.password_hash !== password.currentHash) throw wrong();
  await updateUserRow(trx, caller.userId, { password_hash: password.newHash, updated_at: env.now });
  await revokeSessions(trx, caller.userId, env.now, caller.sessionId);
  await recordChange(trx, { action: 'user.password_changed', thing: userThing(user), accountId: null }, env);
}
