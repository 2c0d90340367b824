import { AppError } from '../../../contracts/errors.ts';
import { credentialHash } from '../../../lib/credentials.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { userThing, userValues } from '../recorded.ts';
import type { OpenedSession } from '../schemas.ts';
import { openSession } from '../sessions/open-session.ts';
import { emailTaken, newUserRow } from '../users/new-user.ts';
import { insertUser, lockFirstOperator, operatorExists } from '../users/store.ts';
import { deleteSetups, setupExists } from './store.ts';

export interface SetUpOperatorInput {
  token: string;
  email: string;
  name: string;
  /** From `hashPassword`. */
  passwordHash: string;
}

/** One answer for every reason: nothing is learnt by guessing. */
const refused = (): AppError =>
  new AppError('UNAUTHENTICATED', {
    message: 'The setup token is wrong, expired or used. A restart of a service without operator prints a new one.',
    headers: { 'www-authenticate': 'Bearer' },
  });

/** First step, outside a transaction: nobody without a valid token makes us compute a hash. UNAUTHENTICATED. */
export async function checkSetup(db: Db, token: string, now: Date): Promise<void> {
  if (!(await setupExists(db, credentialHash(token), now)) || (await operatorExists(db))) throw refused();
}

/**
 * Second step: stores the first operator, opens a session, and makes every setup token worthless. Of two that come at
 * the same time one succeeds. UNAUTHENTICATED; VALIDATION_ERROR on `body.email` when the address is taken: whoever
 * signed up with it keeps it, and the token stays valid for another one.
 */
export async function setUpOperator(
  trx: Trx,
  input: SetUpOperatorInput,
  env: Env,
  lifetimeSeconds: number,
): Promise<OpenedSession> {
  await lockFirstOperator(trx);
  if ((await operatorExists(trx)) || !(await setupExists(trx, credentialHash(input.token), env.now))) throw refused();
  const { email, name, passwordHash } = input;
  const user = newUserRow({ email, name, passwordHash, operator: true }, env);
  if (!(await insertUser(trx, user))) throw emailTaken();
  await deleteSetups(trx);
  const change = { action: 'user.created', thing: userThing(user), accountId: null, after: userValues(user) } as const;
  await recordChange(trx, { ...change, byUser: user.id }, env);
  return openSession(trx, user, env, lifetimeSeconds);
}
