import type { Db } from '../../platform/db/index.ts';
import { type Gap, Gaps } from './gaps.ts';
import type { LogTail } from './log-tail.ts';
import { settle } from './settle.ts';
import { selectAfter } from './store.ts';
import type { LoggedEvent } from './types.ts';

export interface Batch {
  events: LoggedEvent[];
  /** Ask again soon: more is there, or something waits for an open transaction. */
  more: boolean;
}

const NOTHING: Batch = { events: [], more: false };

/**
 * Reads the log in order for one reader: from memory where this process committed the next events itself or another of its
 * readers has fetched them, else from the database, never past a gap that a running transaction may still fill.
 */
export class LogSource {
  readonly #db: Db;
  readonly #tail: LogTail;
  /** The reader's name. */
  readonly #name: string;
  readonly #gaps: Gaps;
  /** The gap that it stands before. */
  #waiting: (Gap & { after: number }) | null = null;
  /** The database may hold something that the tail does not: set by other nodes' wake-ups and by polls. */
  #lookIntoDatabase = true;

  /** `tail` and `gaps` are those of the process. */
  constructor(db: Db, tail: LogTail, name: string, gaps = new Gaps(db)) {
    this.#db = db;
    this.#tail = tail;
    this.#name = name;
    this.#gaps = gaps;
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
    const fromMemory = this.#fromMemory(after, limit);
    if (fromMemory) return fromMemory;
    if (!this.#lookIntoDatabase) {
      const gap = this.#waiting?.after === after ? this.#waiting : null;
      if (!gap && !this.#tail.hasBeyond(after)) return NOTHING;
      // What fills the gap comes into memory, or with the word that there is something to look for. Else it has to be dead.
      if (gap && !(await this.#gaps.isDead(gap))) return NOTHING;
    }
    return this.#gaps.inTurn(async () => this.#fromMemory(after, limit) ?? this.#fromDatabase(after, limit));
  }

  #fromMemory(after: number, limit: number): Batch | null {
    const events = this.#tail.take(after, limit);
    return events.length > 0 ? { events, more: true } : null;
  }

  async #fromDatabase(after: number, limit: number): Promise<Batch> {
    this.#lookIntoDatabase = false;
    this.#waiting = null;
    // As it is before the rows are read: what is found out meanwhile says nothing about them.
    const { deadUpTo } = this.#gaps;
    const rows = await selectAfter(this.#db, after, limit);
    const { events, blocked } = settle(after, rows, deadUpTo);
    this.#tail.learn(after, events);
    if (!blocked || events.length > 0) {
      if (blocked || rows.length === limit) this.#lookIntoDatabase = true;
      return { events, more: rows.length > 0 };
    }
    const [first, last] = [rows[0] as LoggedEvent, rows.at(-1) as LoggedEvent];
    const gap = { after, before: first.position, seen: last.position };
    if (await this.#gaps.isDead(gap)) return this.#fromDatabase(after, limit);
    this.#waiting = gap;
    return NOTHING;
  }
}
