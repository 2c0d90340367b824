import type { Db } from '../../../platform/db/index.ts';
import { type FormerPlace, forgetFormer, NO_FORMER } from '../endpoints/former-store.ts';
import { longestRetention } from '../retention/store.ts';
import { oldestDelivery } from './parts-store.ts';
import { daysBefore } from './weeks.ts';

/** An attempt is a little older than what is written of it, and that by the clock of a node. Days. */
const MARGIN_DAYS = 1;

/** Forgets where endpoints sent, be they deleted, before the oldest delivery that is kept: the addresses may hold secrets. */
export class FormerAddresses {
  readonly #db: Db;
  /** 0: for ever. */
  readonly #retentionDays: number;
  #after: FormerPlace = NO_FORMER;

  constructor(db: Db, retentionDays: number) {
    this.#db = db;
    this.#retentionDays = retentionDays;
  }

  /** Looks at a portion of the rows; true when there are more, false when it will begin again. */
  async step(now: number, portion: number): Promise<boolean> {
    const before = daysBefore(Math.min(now, await this.#oldest(now)), MARGIN_DAYS);
    const next = await forgetFormer(this.#db, new Date(before), { after: this.#after, portion });
    this.#after = next ?? NO_FORMER;
    return next !== null;
  }

  /** What was attempted before this is not to be seen any more. Milliseconds since the epoch. */
  async #oldest(now: number): Promise<number> {
    if (this.#retentionDays === 0) return (await oldestDelivery(this.#db)) ?? now;
    return daysBefore(now, await longestRetention(this.#db, this.#retentionDays));
  }
}
