import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { OpenedSession } from '../schemas.ts';
import { emailTaken, newUserRow } from '../users/new-user.ts';
import { insertUser } from '../users/store.ts';
import { openSession } from './open-session.ts';

/** Throws FORBIDDEN where readers may not sign up by themselves (setting POSTHORN_SIGN_UP). */
export function checkSignUpOpen(open: boolean): void {
  if (!open) throw new AppError('FORBIDDEN', { message: 'This installation takes no sign-ups.' });
}

/**
 * Stores a user without any role, and opens a session. VALIDATION_ERROR on `body.email` when the address is taken.
 * `passwordHash`: from `hashPassword`.
 */
export async function signUp(
  trx: Trx,
  input: { email: string; name: string; passwordHash: string },
  env: Env,
  lifetimeSeconds: number,
): Promise<OpenedSession> {
  const { email, name, passwordHash } = input;
  const user = newUserRow({ email, name, passwordHash }, env);
  if (!(await insertUser(trx, user))) throw emailTaken();
  return openSession(trx, user, env, lifetimeSeconds);
}
