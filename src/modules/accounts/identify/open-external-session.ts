import type { Env, Trx } from '../../../platform/db/index.ts';
import { fittingName, normalEmail } from '../rules.ts';
import { insertSession, lockEnabledUser } from '../sessions/store.ts';
import { type NewUser, newUserRow } from '../users/new-user.ts';
import { findExternalUser, insertUser, takeEmail, type UserRow } from '../users/store.ts';
import type { ExternalIdentity } from './verify-token.ts';

const EMAIL = /^[^\s@\0]{1,64}@[^\s@\0]{1,189}$/;

/**
 * Without the e-mail address when another user has it: the provider's word does not give away an account of ours. One that the provider
 * has changed since is taken over: mails would go to the old one for ever.
 */
async function findOrCreateUser(trx: Trx, identity: ExternalIdentity, env: Env): Promise<UserRow> {
  const { issuer, subject } = identity;
  const email = identity.email !== null && EMAIL.test(identity.email) ? normalEmail(identity.email) : null;
  const found = await findExternalUser(trx, issuer, subject);
  if (found && email !== null && found.email !== email) await takeEmail(trx, found.id, email, env.now);
  if (found) return found;
  const name = fittingName((identity.name ?? '').replaceAll('\0', '')) || fittingName(email ?? subject);
  const user: NewUser = { name, external: { issuer, subject } };
  for (const row of [newUserRow({ ...user, email }, env), newUserRow(user, env)]) {
    if (await insertUser(trx, row)) return row;
    const other = await findExternalUser(trx, issuer, subject);
    if (other) return other;
  }
  throw new Error('a user of the identity provider was neither inserted nor found');
}

/**
 * Stores a token of the outside identity provider as a session, at its first use, and creates its user if need be.
 * From then on a sign-out, a disabled user or a changed role act on it as on any session. Nothing for a disabled user.
 */
export async function openExternalSession(
  trx: Trx,
  identity: ExternalIdentity,
  tokenHash: string,
  env: Env,
): Promise<void> {
  const user = await findOrCreateUser(trx, identity, env);
  if (!(await lockEnabledUser(trx, user.id))) return;
  await insertSession(trx, {
    id: env.newId(),
    user_id: user.id,
    token_hash: tokenHash,
    created_at: env.now,
    expires_at: identity.expiresAt,
    revoked_at: null,
  });
}
