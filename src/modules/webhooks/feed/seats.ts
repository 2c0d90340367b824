import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../contracts/errors.ts';
import { monotonicNow } from '../../../lib/clock.ts';

/** Callers of one process that wait for news at once, in all and of one account. */
const SEATS = 200;
const SEATS_OF_ACCOUNT = 20;
/** So often is looked although nothing was heard: a wake-up may get lost, and who waits may have hung up. Milliseconds. */
const LOOK_EVERY_MS = 1000;
/** However much others publish, no oftener than this. Milliseconds. */
const LOOK_AT_MOST_EVERY_MS = 250;

/** Bounds of the waiting, for tests. */
export interface SeatLimits {
  all: number;
  ofAccount: number;
}

/** Where callers wait until something was appended to the log. Holds no connection to the database. */
export class Seats {
  readonly #limits: SeatLimits;
  readonly #taken = new Map<string, number>();
  #count = 0;
  #news = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(limits: SeatLimits = { all: SEATS, ofAccount: SEATS_OF_ACCOUNT }) {
    this.#limits = limits;
  }

  /** Callers that wait. */
  get taken(): number {
    return this.#count;
  }

  /** Something was appended. */
  wake(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers<void>();
    resolve();
  }

  /** Whoever waits gets what there is, and nobody waits any more. */
  close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
  }

  /**
   * Calls `look` until it gives something, `ms` are over or who waits has left, at first at once; then gives what the last look
   * gave. Throws UNAVAILABLE when too many wait.
   */
  async watch<T>(
    { accountId, ms, hasLeft }: { accountId: string; ms: number; hasLeft: () => boolean },
    look: () => Promise<{ value: T; isNews: boolean }>,
  ): Promise<T> {
    // Before the look: what comes during it must not be slept through.
    let news = this.#news.promise;
    let seen = await look();
    if (seen.isNews || ms <= 0) return seen.value;
    const leave = this.#enter(accountId);
    try {
      const deadline = monotonicNow() + ms;
      while (!seen.isNews && !this.#isClosed && !hasLeft()) {
        const left = deadline - monotonicNow();
        if (left <= 0) break;
        const looked = monotonicNow();
        await this.#within(Math.min(left, LOOK_EVERY_MS), news);
        await this.#within(Math.min(left, looked + LOOK_AT_MOST_EVERY_MS - monotonicNow()));
        news = this.#news.promise;
        seen = await look();
      }
      return seen.value;
    } finally {
      leave();
    }
  }

  /** Waits for so long, or until this has happened, or nobody is to wait any more. */
  async #within(ms: number, happened?: Promise<void>): Promise<void> {
    if (ms <= 0) return;
    const ended = new AbortController();
    const time = pause(ms, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([time, this.#closed.promise, ...(happened ? [happened] : [])]);
    ended.abort();
  }

  #enter(accountId: string): () => void {
    const own = this.#taken.get(accountId) ?? 0;
    if (this.#count >= this.#limits.all || own >= this.#limits.ofAccount) {
      const headers = { 'retry-after': '2' };
      throw new AppError('UNAVAILABLE', { message: 'Too many wait for news already; ask without waiting.', headers });
    }
    this.#count++;
    this.#taken.set(accountId, own + 1);
    return () => {
      this.#count--;
      const left = (this.#taken.get(accountId) ?? 1) - 1;
      if (left === 0) this.#taken.delete(accountId);
      else this.#taken.set(accountId, left);
    };
  }
}
