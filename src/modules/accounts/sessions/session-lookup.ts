import type { Clock } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import { findSessionOwners, type FoundOwner, type SessionOwner } from './store.ts';

interface Asking {
  done: (owner: FoundOwner | undefined) => void;
  failed: (error: unknown) => void;
}

/**
 * Who holds a session token, read from the database for every request, so that a sign-out, a lowered role or a disabled
 * user acts on the next one. Requests that arrive in the same turn of the event loop share one query.
 */
export class SessionLookup {
  readonly #db: Db;
  readonly #clock: Clock;
  #asking = new Map<string, Asking[]>();

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * The owner, if the session and its user are valid now, else null. `issuer`: the provider that the user must come from;
   * null for a session of our own. Throws what the database throws.
   */
  async find(tokenHash: string, issuer: string | null): Promise<SessionOwner | null> {
    const found = await this.#ask(tokenHash);
    if (!found || (issuer !== null && found.issuer !== issuer)) return null;
    const { tokenHash: _hash, issuer: _issuer, ...owner } = found;
    return owner;
  }

  #ask(tokenHash: string): Promise<FoundOwner | undefined> {
    return new Promise((done, failed) => {
      if (this.#asking.size === 0) setImmediate(() => void this.#askAll());
      const others = this.#asking.get(tokenHash);
      if (others) others.push({ done, failed });
      else this.#asking.set(tokenHash, [{ done, failed }]);
    });
  }

  async #askAll(): Promise<void> {
    const asking = this.#asking;
    this.#asking = new Map();
    try {
      const rows = await findSessionOwners(this.#db, [...asking.keys()], new Date(this.#clock.now()));
      const owners = new Map(rows.map((row) => [row.tokenHash, row]));
      for (const [hash, askers] of asking) for (const { done } of askers) done(owners.get(hash));
    } catch (error) {
      for (const { failed } of [...asking.values()].flat()) failed(error);
    }
  }
}
