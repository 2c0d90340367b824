import type { Scope } from '../../../contracts/caller.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import { credentialHash, type KeyEnvironment, keyHint, newApiKey, newSigningSecret } from '../../../lib/credentials.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { IssuedApiKey } from '../schemas.ts';
import { insertApiKey } from './store.ts';

/** What the use cases that change keys need besides the transaction. */
export interface KeyDeps {
  cipher: Cipher;
  environment: KeyEnvironment;
  log: Log;
  /**
   * Takes the next version of the topic `credentials`, which is locked until the commit (so changes of keys are made
   * one after the other), and tells every node after the commit.
   */
  nextVersion(trx: Trx): Promise<number>;
}

/** A key, for the record of changes. */
export const keyThing = ({ id, name }: { id: string; name: string }) => ({ kind: 'API_KEY', id, name }) as const;

/** What a sealed signing secret is bound to. */
export const secretContext = (keyId: string): string => `api-key:${keyId}`;

/** Stores a new key with its signing secret; both are in the reply only, the database has a hash and a sealed text. */
export async function issueKey(
  trx: Trx,
  input: { accountId: string; name: string; scopes: readonly Scope[]; version: number },
  env: Env,
  { cipher, environment }: KeyDeps,
): Promise<IssuedApiKey> {
  const id = env.newId();
  const key = newApiKey(environment);
  const signingSecret = newSigningSecret();
  const scopes = [...input.scopes];
  const name = input.name.trim();
  await insertApiKey(trx, {
    id,
    account_id: input.accountId,
    name,
    key_hash: credentialHash(key),
    key_hint: keyHint(key),
    scopes,
    secret_sealed: cipher.seal(signingSecret, secretContext(id)),
    created_at: env.now,
    expires_at: null,
    revoked_at: null,
    replaced_by: null,
    changed_in: input.version,
  });
  return { id, accountId: input.accountId, name, key, signingSecret, scopes };
}
