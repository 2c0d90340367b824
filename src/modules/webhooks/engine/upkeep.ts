import type { Clock } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import { activeWithHeld, bringForward, discardOrphans, reviveHeld } from './upkeep-store.ts';

/** Rows per statement: each takes well under a second, and no row is locked for longer. */
const PORTION = 2000;

export interface UpkeepDeps {
  db: Db;
  clock: Clock;
  /** Which of these accounts have a secret to sign with. */
  signable: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Of these endpoints, those whose headers can be read now. */
  readable: (endpointIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The slots of the accounts that this node sends to. */
  slots: () => readonly number[];
  /** Deliveries became due. */
  wakeClaims: () => void;
  /** Rows per statement, for tests. */
  portion?: number;
}

/**
 * Brings waiting deliveries in line with their endpoints after a resume or a deletion: the request changes the endpoint
 * only, since there may be more rows than one statement can change in its time. It also finds what a node wrote as held
 * or pending in the very moment in which another changed the endpoint, and what was put off by a clock that was ahead.
 */
export class Upkeep {
  readonly #deps: UpkeepDeps;

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
  }

  /** One portion of each kind; true when more may be left. */
  async step(): Promise<boolean> {
    const { db, clock, slots, wakeClaims, portion = PORTION } = this.#deps;
    const now = new Date(clock.now());
    const revived = (await this.#revive(portion, now)) + (await bringForward(db, slots(), portion, now));
    if (revived > 0) wakeClaims();
    const discarded =
      (await discardOrphans(db, 'PENDING', portion, now)) + (await discardOrphans(db, 'HELD', portion, now));
    return revived + discarded > 0;
  }

  /** What nothing could sign, or whose headers nobody can read, stays as it is until that is mended: else it would be claimed and held again and again. */
  async #revive(portion: number, now: Date): Promise<number> {
    const { db, signable, readable } = this.#deps;
    const endpoints = await activeWithHeld(db, now);
    if (endpoints.length === 0) return 0;
    const accounts = await signable([...new Set(endpoints.map((e) => e.accountId))]);
    const ids = [...(await readable(endpoints.filter((e) => accounts.has(e.accountId)).map((e) => e.id)))];
    return ids.length === 0 ? 0 : reviveHeld(db, ids, portion, now);
  }
}
