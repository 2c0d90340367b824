import { shareRuns } from '../../lib/share-runs.ts';
import type { Db } from '../../platform/db/index.ts';
import { audiencePositions, newestOfAudience } from './audience-store.ts';
import { affordable } from './export-events.ts';
import { firstGap, lastVisible, selectByPositions, selectHeads, settledByReaders, writersNow } from './store.ts';
import type { LoggedEvent } from './types.ts';

/** Positions that are looked through for a gap at once, where the readers are far behind: some milliseconds. */
const LOOK_POSITIONS = 20_000;

/** Where an event is, and what it is called. */
export type EventHead = Pick<LoggedEvent, 'position' | 'id' | 'event'>;

/**
 * The log as one account sees it, oldest first, for whoever comes and asks (readers of the whole log have a LogSource). It
 * ends before what a transaction that is still open may add, so nothing ever comes to lie before what was read.
 */
export class AccountLog {
  readonly #db: Db;
  #settled = 0;
  readonly #share = shareRuns(() => this.#settle());

  constructor(db: Db) {
    this.#db = db;
  }

  /** The position up to which nothing can be added any more, as of now or later. Waits for no transaction. */
  async settled(): Promise<number> {
    await this.#share();
    return this.#settled;
  }

  async #settle(): Promise<void> {
    const last = await lastVisible(this.#db);
    // What a reader has passed is settled (settle.ts), and what was settled once stays so.
    if (last > this.#settled) this.#settled = Math.max(this.#settled, Math.min(await settledByReaders(this.#db), last));
    if (last <= this.#settled) return;
    const writers = await writersNow(this.#db);
    if (writers.isDisjointFrom(await writersNow(this.#db))) {
      this.#settled = last;
      return;
    }
    // Somebody is writing, as mostly under load: then it is up to the first gap.
    const below = Math.min(last, this.#settled + LOOK_POSITIONS);
    const gap = await firstGap(this.#db, { above: this.#settled, below });
    this.#settled = gap === null ? below : gap - 1;
  }

  /** The first events behind a position, up to another that is settled, that the account may see. */
  async heads(
    accountId: string,
    { above, upTo }: { above: number; upTo: number },
    limit: number,
  ): Promise<EventHead[]> {
    if (upTo <= above) return [];
    const part = { range: { above, below: upTo + 1 }, limit, order: 'asc' } as const;
    const { rows } = await audiencePositions({ accounts: [accountId] }, part).execute(this.#db);
    return selectHeads(
      this.#db,
      rows.map((row) => row.position),
    );
  }

  /** The last event of the account up to a position; null: there is none. */
  async lastHead(accountId: string, upTo: number): Promise<EventHead | null> {
    const part = { range: { above: 0, below: upTo + 1 }, limit: 1 };
    const rows = await newestOfAudience(this.#db, { accounts: [accountId] }, part);
    const [head] = await selectHeads(
      this.#db,
      rows.map((row) => row.position),
    );
    return head ?? null;
  }

  /** The first of these events, at least one, as many as are together not too large for memory; in their order. */
  async load(heads: readonly EventHead[]): Promise<LoggedEvent[]> {
    const positions = await affordable(
      this.#db,
      heads.map((head) => head.position),
    );
    return (await selectByPositions(this.#db, positions)).toSorted((a, b) => a.position - b.position);
  }
}
