import { type Db, type Env, inTransaction } from '../../../platform/db/index.ts';
import type { Passwords } from '../passwords.ts';
import { recordChange } from '../../changes/index.ts';
import { userThing, userValues } from '../recorded.ts';
import { normalEmail } from '../rules.ts';
import { revokeSessions } from '../sessions/store.ts';
import { newUserRow } from './new-user.ts';
import { recordUserChange } from './record-user-change.ts';
import { findUserByEmail, insertUser, lockFirstOperator, operatorExists, updateUserRow } from './store.ts';

export interface FirstOperator {
  email: string;
  password: string;
}

/**
 * Creates the first operator when there is no enabled one; nodes that start together create one. A user who took the
 * address before gets the flag *and the given password*, and loses all sessions: whoever signed up with the address
 * of the operator-to-be must not become the operator. Returns what was found or done.
 */
export async function ensureFirstOperator(
  db: Db,
  first: FirstOperator,
  env: Env,
  passwords: Pick<Passwords, 'hash'>,
): Promise<'exists' | 'created' | 'promoted'> {
  if (await operatorExists(db)) return 'exists';
  const passwordHash = await passwords.hash(first.password);
  return inTransaction(db, async (trx) => {
    await lockFirstOperator(trx);
    if (await operatorExists(trx)) return 'exists';
    const row = newUserRow({ name: 'Operator', email: first.email, passwordHash, operator: true }, env);
    if (await insertUser(trx, row)) {
      await recordChange(
        trx,
        { action: 'user.created', thing: userThing(row), accountId: null, after: userValues(row) },
        env,
      );
      return 'created';
    }
    const taken = await findUserByEmail(trx, normalEmail(first.email));
    if (!taken) throw new Error('the first operator was neither inserted nor found');
    const change = { operator: true, password_hash: passwordHash, disabled_at: null, updated_at: env.now };
    await updateUserRow(trx, taken.id, change);
    await revokeSessions(trx, taken.id, env.now);
    await recordUserChange(trx, taken, { ...taken, ...change }, env);
    return 'promoted';
  });
}
