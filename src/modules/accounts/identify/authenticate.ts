import type { JWTVerifyGetKey } from 'jose';
import type { Caller, SessionCaller } from '../../../contracts/caller.ts';
import { credentialHash, isSessionToken } from '../../../lib/credentials.ts';
import { type Env, inTransaction } from '../../../platform/db/index.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { AccountsPlatform } from '../platform.ts';
import type { FindSession } from '../sessions/session-lookup.ts';
import { sessionKnown } from '../sessions/store.ts';
import { openExternalSession } from './open-external-session.ts';
import { type Expected, verifyToken } from './verify-token.ts';

export interface IdentifyDeps {
  platform: AccountsPlatform;
  keys: KeyCache;
  findSession: FindSession;
  /** Null: tokens of no outside identity provider are accepted. */
  external: (Expected & { keySet: JWTVerifyGetKey }) | null;
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

async function sessionCaller(
  { findSession }: Pick<IdentifyDeps, 'findSession'>,
  tokenHash: string,
  issuer: string | null,
): Promise<SessionCaller | null> {
  const owner = await findSession(tokenHash, issuer);
  return owner && { kind: 'session', ...owner };
}

/** The signature is verified every time, so a key that the provider withdrew takes its tokens with it. */
async function externalCaller(deps: IdentifyDeps, token: string): Promise<SessionCaller | null> {
  const { platform, external } = deps;
  if (!external) return null;
  const identity = await verifyToken(token, external.keySet, external, [platform.clock, platform.ownClock]);
  if (!identity) return null;
  // Of what is signed: the signature has several spellings, and each would be a session that no sign-out has ended.
  const tokenHash = credentialHash(token.slice(0, token.lastIndexOf('.')));
  const known = await sessionCaller(deps, tokenHash, external.issuer);
  if (known) return known;
  // Asked again, since another node may have stored it between the two questions; one that was ended stays null.
  if (await sessionKnown(platform.db, tokenHash)) return sessionCaller(deps, tokenHash, external.issuer);
  const env: Env = { now: new Date(platform.clock.now()), newId: platform.newId, requestId: '' };
  await inTransaction(platform.db, (trx) => openExternalSession(trx, identity, tokenHash, env));
  return sessionCaller(deps, tokenHash, external.issuer);
}

/**
 * Who holds a credential: an API key (`ph_…`), an access token of ours (`phs_…`) or a JWT of the outside identity
 * provider. Null for one that is malformed, unknown, expired or revoked, or whose user is disabled.
 */
export async function authenticate(deps: IdentifyDeps, bearer: string): Promise<Caller | null> {
  if (bearer.startsWith('ph_')) return deps.keys.findCaller(bearer);
  if (isSessionToken(bearer)) return sessionCaller(deps, credentialHash(bearer), null);
  return JWT.test(bearer) ? externalCaller(deps, bearer) : null;
}
