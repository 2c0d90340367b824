import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import { type Db, inTransaction } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { acquireReader, releaseReader } from '../reader-store.ts';
import { moveCursor } from '../readers/store.ts';
import { settledEnd } from '../settled-end.ts';
import { makeSeal, NO_SEAL } from './compute-seal.ts';
import { batchEnd, insertSeals, lastSeal, type Seal } from './store.ts';

export const SEALER = 'audit-seal';
/** An event is sealed within this time of its commit. Seldom, so that a quiet log gets few seals. Milliseconds. */
const EVERY_MS = 10_000;
/** Most events under one seal: the fewer, the closer a difference is told; the more, the fewer seals. */
const SEAL_EVENTS = 1000;
/** Most seals that are written at once: what else a step asks for costs as much as making one of them (measured: 3 us for an event). */
const SEALS_AT_ONCE = 16;
/** What was made in this time is written: another node may have the lease soon. Milliseconds. */
const MAKE_MS = 1000;

export interface SealerDeps {
  db: Db;
  clock: Clock;
  nodeId: string;
}

/** Another node seals now: what was being written is rolled back. */
class LeaseLost extends Error {}

/**
 * Seals the log in its order, one node at a time. Reads what is stored and not what this process remembers, up to where
 * nothing can be added any more; seals and cursor are one transaction. A publish does not know of it.
 */
export class Sealer implements Loop {
  readonly name = SEALER;
  readonly everyMs = EVERY_MS;
  readonly #deps: SealerDeps;

  constructor(deps: SealerDeps) {
    this.#deps = deps;
  }

  /** Writes some seals, if there is anything to seal; true when more may be waiting. Throws when seals were removed. */
  async step(): Promise<boolean> {
    const { db, clock, nodeId: owner } = this.#deps;
    const now = new Date(clock.now());
    const from = await acquireReader(db, SEALER, owner, now);
    if (from === null) return false;
    const { seal: last, sealedUpTo } = await lastSeal(db, SEALER);
    const previous = last ?? NO_SEAL;
    // To go on from here would seal anew what was sealed, and so vouch for whatever somebody has made of it.
    if (previous.lastPosition !== sealedUpTo) {
      throw new Error(
        `the log was sealed up to position ${sealedUpTo}, and its last seal, ${previous.number}, ends at ${previous.lastPosition}: seals were removed. No more is sealed; see \`posthorn audit verify\`.`,
      );
    }
    const seals = await this.#make(previous, await settledEnd(db));
    const made = seals.at(-1);
    if (!made) return false;
    try {
      await inTransaction(db, async (trx) => {
        const to = made.lastPosition;
        if (!(await moveCursor(trx, { name: SEALER, owner, from, to, now }))) throw new LeaseLost();
        await insertSeals(trx, seals, now);
      });
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return false;
    }
    return made.events >= SEAL_EVENTS;
  }

  /** The next seals, none beyond this position; all but the last of them full. */
  async #make(last: Seal, upTo: number): Promise<Seal[]> {
    const { db } = this.#deps;
    const seals: Seal[] = [];
    const until = monotonicNow() + MAKE_MS;
    for (let previous = last; seals.length < SEALS_AT_ONCE && monotonicNow() < until; ) {
      const { rows } = await batchEnd({ above: previous.lastPosition, upTo, limit: SEAL_EVENTS }).execute(db);
      const to = rows[0]?.position ?? null;
      if (to === null) break;
      try {
        previous = await makeSeal(db, previous, to);
      } catch (error) {
        // Those before it are written; the next step begins with it.
        if (seals.length > 0) break;
        throw error;
      }
      seals.push(previous);
      if (previous.events < SEAL_EVENTS) break;
    }
    return seals;
  }

  release(): Promise<void> {
    return releaseReader(this.#deps.db, SEALER, this.#deps.nodeId);
  }
}
