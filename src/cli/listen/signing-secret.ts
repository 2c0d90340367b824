import { hostname } from 'node:os';
import { readClientVariables } from '../../platform/config/client-variables.ts';
import { type Connection, isKey } from '../connection/connect.ts';
import { changeProfile, type KeptSecret } from '../connection/credentials-file.ts';
import { wrongUse } from '../failure.ts';
import { type Keys, keysOf } from './keys.ts';
import { remark } from '../output/print.ts';

/** What `listen` verifies with. */
export interface Secret {
  value: string;
  /** It was issued for `listen`, so nobody else has it: it is shown. */
  isOwn: boolean;
  /** Takes back what was made for this run only. */
  release(signal: AbortSignal): Promise<void>;
}

/** For taking back a key that is not needed. Milliseconds. */
const REVOKE_MS = 5000;

const nothing = async (): Promise<void> => undefined;

async function isValid(keys: Keys, keyId: string): Promise<boolean> {
  for await (const { id, revokedAt, expiresAt } of keys.list())
    if (id === keyId) return revokedAt === null && expiresAt === null;
  return false;
}

interface Place {
  accountId: string;
  /** The key that stood there and is not valid any more. */
  outdated: string | undefined;
}

/**
 * Keeps a new secret. Another `listen` may have kept one since this one looked: then that one is the secret of both. Gives the
 * one that is kept, or null when there is no place for it.
 */
async function keep({ profileName, url }: Connection, place: Place, mine: KeptSecret): Promise<KeptSecret | null> {
  const kept = await changeProfile(profileName, (now) => {
    if (now?.url !== url) return now;
    const there = now.listening?.[place.accountId];
    if (there && there.keyId !== place.outdated) return now;
    return { ...now, listening: { ...now.listening, [place.accountId]: mine } };
  });
  return kept?.url === url ? (kept.listening?.[place.accountId] ?? null) : null;
}

const hasPlace = ({ profile, credential }: Connection): boolean =>
  profile !== undefined && profile.credential === credential;

/** The secret of the key that `listen` has for this account; a new one when there is none, or it is not valid any more. */
async function ownSecret(connection: Connection, accountId: string): Promise<Secret> {
  const { client, profile } = connection;
  const keys = keysOf(client, accountId, (await client.getMe()).user.operator);
  const known = profile?.listening?.[accountId];
  const lasting = (value: string): Secret => ({ value, isOwn: true, release: nothing });
  if (known && (await isValid(keys, known.keyId))) return lasting(known.signingSecret);
  const { id: keyId, signingSecret } = await keys.create(`posthorn listen on ${hostname()}`.slice(0, 100));
  const revoke = async (signal: AbortSignal): Promise<void> => void (await keys.revoke(keyId, signal));
  const place = { accountId, outdated: known?.keyId };
  const superfluous = (): Promise<void> =>
    revoke(AbortSignal.timeout(REVOKE_MS)).catch((error: unknown) =>
      remark(`Key ${keyId}, made by "posthorn listen", is not revoked: ${(error as Error).message}`),
    );
  const kept = hasPlace(connection)
    ? await keep(connection, place, { keyId, signingSecret }).catch(async (error: unknown) => {
        // It could not be kept (a full disk), so nobody would ever use it.
        await superfluous();
        throw error;
      })
    : null;
  // There is no place to keep it, so the next run would make another one.
  if (kept === null) return { value: signingSecret, isOwn: true, release: revoke };
  if (kept.keyId !== keyId) await superfluous();
  return lasting(kept.signingSecret);
}

/** A secret that lasts, so that a receiver can be started with it. Fails when there is none, and no place to keep one. */
export async function printableSecret(
  connection: Connection,
  given: string | undefined,
  accountId: string | undefined,
): Promise<string> {
  const isKnown = (given ?? readClientVariables().signingSecret) !== undefined || isKey(connection.credential);
  if (!isKnown && !hasPlace(connection)) {
    throw wrongUse(
      '--print-secret needs a place to keep the secret in: sign in with "posthorn login", and give no other --key or POSTHORN_KEY',
    );
  }
  return (await signingSecret(connection, given, accountId)).value;
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
