import type { Db } from '../../platform/db/index.ts';
import { writersNow } from './store.ts';

interface Barrier {
  /** Every transaction that may fill a gap below `upTo` is one of these. */
  writers: ReadonlySet<string>;
  upTo: number;
}

/** A gap before a visible position, as a reader has met it. */
export interface Gap {
  /** The visible position behind it. */
  before: number;
  /** The highest visible position at that moment. */
  seen: number;
}

/**
 * What one process knows of the gaps of the log (see settle.ts), for all its readers: however many of them stand before a
 * gap, the database is asked once, and a gap that was found dead for one is so for all.
 */
export class Gaps {
  readonly #db: Db;
  #deadUpTo = 0;
  /** The oldest, which ends first, and the newest, which reaches farthest. Replaced as a whole. */
  #barriers: readonly Barrier[] = [];
  #asking: { about: readonly Barrier[]; done: Promise<void> } | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Gaps below stay empty. Only for rows that are read after this was asked, in a later statement. */
  get deadUpTo(): number {
    return this.#deadUpTo;
  }

  /** Whether the gap stays empty for good, as far as is known now. */
  async isDead({ before, seen }: Gap): Promise<boolean> {
    if (before <= this.#deadUpTo) return true;
    const barrier = this.#barriers.find(({ upTo }) => upTo >= before) ?? (await this.#raise(seen));
    await this.#ask(barrier);
    return before <= this.#deadUpTo;
  }

  /**
   * One after another, so that what one reader fetches is in memory for those that wait. A failure is the caller's only.
   */
  inTurn<T>(fn: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(fn);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #raise(upTo: number): Promise<Barrier> {
    const barrier = { writers: await writersNow(this.#db), upTo };
    this.#barriers = [...this.#barriers.slice(0, 1), barrier];
    return barrier;
  }

  /** A question that was put before a barrier was raised says nothing about it: its writers may have come in between. */
  async #ask(barrier: Barrier): Promise<void> {
    if (!this.#asking?.about.includes(barrier)) {
      const about = [...this.#barriers, barrier];
      const asking = { about, done: this.#look(about) };
      this.#asking = asking;
      await asking.done.finally(() => {
        if (this.#asking === asking) this.#asking = null;
      });
      return;
    }
    await this.#asking.done;
  }

  async #look(about: readonly Barrier[]): Promise<void> {
    const now = about.every(({ writers }) => writers.size === 0) ? new Set<string>() : await writersNow(this.#db);
    for (const { writers, upTo } of about)
      if (writers.isDisjointFrom(now)) this.#deadUpTo = Math.max(this.#deadUpTo, upTo);
    this.#barriers = this.#barriers.filter(({ upTo }) => upTo > this.#deadUpTo);
  }
}
