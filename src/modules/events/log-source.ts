import type { Db } from '../../platform/db/index.ts';
import type { LogTail } from './log-tail.ts';
import { settle } from './settle.ts';
import { selectAfter, writersNow } from './store.ts';
import type { LoggedEvent } from './types.ts';

interface Barrier {
  /** Every transaction that may fill a gap up to `upTo` is one of these. */
  writers: ReadonlySet<string>;
  upTo: number;
}

export interface Batch {
  events: LoggedEvent[];
  /** Ask again soon: more is there, or something waits for an open transaction. */
  more: boolean;
}

/**
 * Reads the log in order for one reader: from memory where this process committed the next events itself, else from the
 * database, never past a gap that a running transaction may still fill.
 */
export class LogSource {
  readonly #db: Db;
  readonly #tail: LogTail;
  /** The reader's name. */
  readonly #name: string;
  #barrier: Barrier | null = null;
  #deadUpTo = 0;
  /** The database may hold something that the tail does not: set by other nodes' wake-ups and by polls. */
  #lookIntoDatabase = true;

  constructor(db: Db, tail: LogTail, name: string) {
    this.#db = db;
    this.#tail = tail;
    this.#name = name;
  }

  /** This process reads from here on: what it commits is worth keeping in memory. */
  follow(position: number): void {
    this.#tail.follow(this.#name, position);
  }

  /** It reads no more. */
  unfollow(): void {
    this.#tail.unfollow(this.#name);
  }

  /** Events up to here need not be kept in memory for this reader. */
  consumed(position: number): void {
    this.#tail.consumed(this.#name, position);
  }

  /** Another process has published, or it is time to look. */
  mayHaveMissed(): void {
    this.#lookIntoDatabase = true;
  }

  /** The next events after a position. Call with the position of the last event that was handled. */
  async next(after: number, limit: number): Promise<Batch> {
    const fromMemory = this.#tail.take(after, limit);
    if (fromMemory.length > 0) return { events: fromMemory, more: true };
    if (!this.#lookIntoDatabase && !this.#tail.hasBeyond(after)) return { events: [], more: false };
    this.#lookIntoDatabase = false;
    await this.#passBarrier();
    const rows = await selectAfter(this.#db, after, limit);
    const { events, blocked } = settle(after, rows, this.#deadUpTo);
    if (rows.length === limit) this.#lookIntoDatabase = true;
    if (!blocked) return { events, more: rows.length > 0 };
    this.#lookIntoDatabase = true;
    if (events.length > 0) return { events, more: true };
    const upTo = (rows.at(-1) as LoggedEvent).position;
    this.#barrier ??= { writers: await writersNow(this.#db), upTo };
    if (!(await this.#passBarrier())) return { events: [], more: false };
    return this.next(after, limit);
  }

  /** True when a barrier was passed now. The rows must be read after this, in a later statement. */
  async #passBarrier(): Promise<boolean> {
    if (!this.#barrier) return false;
    const { writers } = this.#barrier;
    if (writers.size > 0 && !writers.isDisjointFrom(await writersNow(this.#db))) return false;
    this.#deadUpTo = Math.max(this.#deadUpTo, this.#barrier.upTo);
    this.#barrier = null;
    return true;
  }
}
