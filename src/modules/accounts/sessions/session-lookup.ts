import type { Clock } from '../../../lib/clock.ts';
import { gatherTurn } from '../../../lib/gather-turn.ts';
import type { Db } from '../../../platform/db/index.ts';
import { findSessionOwners, type SessionOwner } from './store.ts';

/**
 * The owner of a session token, if the session and its user are valid now, else null. `issuer`: the provider that the user
 * must come from; null for a session of our own. Throws what the database throws.
 */
export type FindSession = (tokenHash: string, issuer: string | null) => Promise<SessionOwner | null>;

/**
 * Who holds a session token, read from the database for every request, so that a sign-out, a lowered role or a disabled
 * user acts on the next one. Requests that arrive in the same turn of the event loop share one query.
 */
export function sessionLookup(db: Db, clock: Clock): FindSession {
  const find = gatherTurn(async (hashes: readonly string[]) => {
    const rows = await findSessionOwners(db, [...new Set(hashes)], new Date(clock.now()));
    const owners = new Map(rows.map((row) => [row.tokenHash, row]));
    return hashes.map((hash) => owners.get(hash));
  });
  return async (tokenHash, issuer) => {
    const found = await find(tokenHash);
    if (!found || (issuer !== null && found.issuer !== issuer)) return null;
    const { tokenHash: _hash, issuer: _issuer, ...owner } = found;
    return owner;
  };
}
