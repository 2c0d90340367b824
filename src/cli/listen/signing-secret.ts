import { hostname } from 'node:os';
import type { ApiKey, Client, IssuedApiKey } from '../../../client/src/index.ts';
import { readClientVariables } from '../../platform/config/client-variables.ts';
import { type Connection, isKey } from '../connection/connect.ts';
import { keepProfile } from '../connection/credentials-file.ts';
import { wrongUse } from '../failure.ts';

/** What `listen` verifies with. */
export interface Secret {
  value: string;
  /** It was issued for `listen`, so nobody else has it: it is shown. */
  isOwn: boolean;
  /** Takes back what was made for this run only. */
  release(signal: AbortSignal): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** The operations on the keys of an account, as the caller may use them. */
interface Keys {
  list(): AsyncIterable<ApiKey>;
  create(name: string): Promise<IssuedApiKey>;
  revoke(keyId: string, signal: AbortSignal): Promise<unknown>;
}

function keysOf(client: Client, accountId: string, isOperator: boolean): Keys {
  // A key needs a scope; nothing is done with it but signing, and it is not kept.
  const scopes: ['blog:read'] = ['blog:read'];
  if (isOperator) {
    return {
      list: () => client.listApiKeys({ accountId, limit: 100 }),
      create: (name) => client.createApiKey({ body: { accountId, name, scopes } }),
      revoke: (id, signal) => client.revokeApiKey({ id }, { signal }),
    };
  }
  return {
    list: () => client.listAccountApiKeys({ id: accountId, limit: 100 }),
    create: (name) => client.createAccountApiKey({ id: accountId, body: { name, scopes } }),
    revoke: (keyId, signal) => client.revokeAccountApiKey({ id: accountId, keyId }, { signal }),
  };
}

async function isValid(keys: Keys, keyId: string): Promise<boolean> {
  for await (const { id, revokedAt, expiresAt } of keys.list())
    if (id === keyId) return revokedAt === null && expiresAt === null;
  return false;
}

/** The secret of the key that `listen` has for this account; a new one when there is none, or it is not valid any more. */
async function ownSecret(connection: Connection, accountId: string): Promise<Secret> {
  const { client, credential, profile, profileName } = connection;
  const keys = keysOf(client, accountId, (await client.getMe()).user.operator);
  const known = profile?.listening?.[accountId];
  if (known && (await isValid(keys, known.keyId))) return { value: known.signingSecret, isOwn: true, release: nothing };
  const { id: keyId, signingSecret } = await keys.create(`posthorn listen on ${hostname()}`.slice(0, 100));
  if (profile && profile.credential === credential) {
    await keepProfile(profileName, {
      ...profile,
      listening: { ...profile.listening, [accountId]: { keyId, signingSecret } },
    });
    return { value: signingSecret, isOwn: true, release: nothing };
  }
  // There is no place to keep it, so the next run would make another one.
  return { value: signingSecret, isOwn: true, release: async (signal) => void (await keys.revoke(keyId, signal)) };
}

/** The secret that signatures are held against. Fails when there is none to be had. */
export async function signingSecret(
  connection: Connection,
  given: string | undefined,
  accountId: string | undefined,
): Promise<Secret> {
  const value = given ?? readClientVariables().signingSecret;
  if (value !== undefined) return { value, isOwn: false, release: nothing };
  if (isKey(connection.credential) || accountId === undefined) {
    throw wrongUse(
      'with an API key the signing secret that came with it is needed: --secret or POSTHORN_SIGNING_SECRET (or --no-verify)',
    );
  }
  return ownSecret(connection, accountId);
}
