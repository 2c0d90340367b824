import { AppError } from '../../../contracts/errors.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import type { Passwords } from '../passwords.ts';
import { normalEmail } from '../rules.ts';
import type { OpenedSession } from '../schemas.ts';
import { findUserByEmail, type UserRow } from '../users/store.ts';
import { openSession } from './open-session.ts';
import { lockEnabledUser } from './store.ts';

/** A user whose password was given rightly. */
export type VerifiedUser = UserRow & { password_hash: string };

/** One answer for every reason, so that it does not tell which addresses have an account. */
const refused = (): AppError =>
  new AppError('UNAUTHENTICATED', {
    message: 'E-mail address and password do not belong together.',
    headers: { 'www-authenticate': 'Bearer' },
  });

/**
 * First step, outside a transaction: the user whose e-mail and password these are. UNAUTHENTICATED otherwise, after the
 * same work and with the same answer whether the address is unknown, disabled, without password, or the password wrong.
 */
export async function verifySignIn(
  db: Db,
  input: { email: string; password: string },
  passwords: Pick<Passwords, 'verify'>,
): Promise<VerifiedUser> {
  const user = await findUserByEmail(db, normalEmail(input.email));
  const hash = user?.password_hash ?? null;
  const right = await passwords.verify(input.password, hash);
  if (!user || hash === null || !right || user.disabled_at) throw refused();
  return { ...user, password_hash: hash };
}

/** Second step: opens the session, unless the user was disabled or got another password since the first step. */
export async function signIn(trx: Trx, user: VerifiedUser, env: Env, lifetimeSeconds: number): Promise<OpenedSession> {
  if (!(await lockEnabledUser(trx, user.id, user.password_hash))) throw refused();
  return openSession(trx, user, env, lifetimeSeconds);
}
