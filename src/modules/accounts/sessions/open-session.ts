import { credentialHash, newSessionToken } from '../../../lib/credentials.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { OpenedSession } from '../schemas.ts';
import { toSessionUser } from '../users/new-user.ts';
import type { UserRow } from '../users/store.ts';
import { insertSession } from './store.ts';

/** A new session of the user; the token is in the reply only, the database holds its hash. */
export async function openSession(trx: Trx, user: UserRow, env: Env, lifetimeSeconds: number): Promise<OpenedSession> {
  const accessToken = newSessionToken();
  const expiresAt = new Date(env.now.getTime() + lifetimeSeconds * 1000);
  await insertSession(trx, {
    id: env.newId(),
    user_id: user.id,
    token_hash: credentialHash(accessToken),
    created_at: env.now,
    expires_at: expiresAt,
    revoked_at: null,
  });
  return { accessToken, expiresAt: expiresAt.toISOString(), user: toSessionUser(user) };
}
