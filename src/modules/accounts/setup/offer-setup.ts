import { randomBytes } from 'node:crypto';
import { credentialHash } from '../../../lib/credentials.ts';
import { type Db, type Env, inTransaction } from '../../../platform/db/index.ts';
import { operatorExists } from '../users/store.ts';
import { insertSetup } from './store.ts';

/** Long enough to read a log and type an answer, short enough that an old log opens nothing. */
const LIFETIME_MS = 3600 * 1000;

/**
 * A one-time token with which somebody can become the first operator within an hour; null when there is an operator.
 * The token is returned only, the database holds its hash (contract: "Callers").
 */
export async function offerSetup(db: Db, env: Env): Promise<string | null> {
  if (await operatorExists(db)) return null;
  const token = `ph_setup_${randomBytes(32).toString('base64url')}`;
  const expiresAt = new Date(env.now.getTime() + LIFETIME_MS);
  await inTransaction(db, (trx) =>
    insertSetup(trx, { token_hash: credentialHash(token), created_at: env.now, expires_at: expiresAt }),
  );
  return token;
}
