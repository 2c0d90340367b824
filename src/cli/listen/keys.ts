import { type ApiKey, type Client, type IssuedApiKey, PosthornError } from '../../../client/src/index.ts';
import { type Connection, isKey } from '../connection/connect.ts';
import type { Profile } from '../connection/credentials-file.ts';
import { lingering } from '../interrupt.ts';
import { remark } from '../output/print.ts';

/** How long the service may take to answer for a key that was made, after Ctrl-C. Milliseconds. */
const GRACE_MS = 5000;
/** For each key that is taken back at the end of a session. Milliseconds. */
const REVOKE_MS = 5000;

/** The operations on the keys of an account, as the caller may use them. */
export interface Keys {
  list(): AsyncIterable<ApiKey>;
  create(name: string): Promise<IssuedApiKey>;
  revoke(keyId: string, signal: AbortSignal): Promise<unknown>;
}

export function keysOf(client: Client, accountId: string, isOperator: boolean): Keys {
  // A key needs a scope; nothing is done with it but signing, and it is not kept.
  const scopes: ['blog:read'] = ['blog:read'];
  // Broken off, it might be there all the same, and nobody would know its id.
  const call = () => ({ signal: lingering(GRACE_MS) });
  if (isOperator) {
    return {
      list: () => client.listApiKeys({ accountId, limit: 100 }),
      create: (name) => client.createApiKey({ body: { accountId, name, scopes } }, call()),
      revoke: (id, signal) => client.revokeApiKey({ id }, { signal }),
    };
  }
  return {
    list: () => client.listAccountApiKeys({ id: accountId, limit: 100 }),
    create: (name) => client.createAccountApiKey({ id: accountId, body: { name, scopes } }, call()),
    revoke: (keyId, signal) => client.revokeAccountApiKey({ id: accountId, keyId }, { signal }),
  };
}

/**
 * Takes back the keys that `listen` made for a profile, which is forgotten. A key that cannot be revoked is named, and never
 * keeps anybody from signing out; of a service that is away, that is the first one.
 */
export async function revokeListeningKeys({ client, credential }: Connection, profile: Profile): Promise<void> {
  const kept = Object.entries(profile.listening ?? {});
  if (kept.length === 0) return;
  try {
    const isOperator = isKey(credential) || (await client.getMe({}, { maxRetries: 0 })).user.operator;
    for (const [accountId, { keyId }] of kept) {
      await keysOf(client, accountId, isOperator)
        .revoke(keyId, AbortSignal.timeout(REVOKE_MS))
        .catch((error: unknown) => {
          if (!(error instanceof PosthornError && error.status !== null)) throw error;
          remark(`Key ${keyId}, made by "posthorn listen", is not revoked: ${error.message}`);
        });
    }
  } catch (error) {
    const ids = kept.map(([, { keyId }]) => keyId).join(', ');
    remark(`Keys made by "posthorn listen" may still be valid (${ids}): ${(error as Error).message}`);
  }
}
