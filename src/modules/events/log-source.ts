import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { type Gap, Gaps } from './gaps.ts';
import type { LogTail } from './log-tail.ts';
import { settle } from './settle.ts';
import { selectAfter, selectOfSlotsAfter } from './store.ts';
import type { LoggedEvent } from './types.ts';

export interface Batch {
  events: LoggedEvent[];
  /** So far the log is read, also where nothing was wanted. */
  upTo: number;
  /** Ask again soon: more is there, or something waits for an open transaction. */
  more: boolean;
}

/** How much is read at once, and of what. */
export interface Wanted {
  limit: number;
  /** Only what has an account of these slots in its audience is needed; there may be more. null: all. */
  slots?: ReadonlySet<number> | null;
  /** The part of all accounts that this process reads for, however many readings that takes. */
  share?: number;
}

/** A reading of the database, of which its reader may have taken only the first events. */
interface Reading extends Batch {
  after: number;
  slots: ReadonlySet<number> | null;
}

const nothing = (after: number): Batch => ({ events: [], upTo: after, more: false });

/**
 * Whoever reads for a share of the accounts is woken as often as one who reads for all, and finds less each time: so it pauses
 * between two readings, for this long divided by its share, and a reading costs as little for an event. At one eighth without
 * a pause a delivery cost 1.7 times as much (measured). Milliseconds.
 */
const PAUSE_MS = 10;
const PAUSE_MAX_MS = 100;

/** How long between the readings of a process with this share. Milliseconds. */
export const pauseOf = (share: number): number => (share >= 1 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MS / share));

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
  /** Since this moment the database may hold something that the tail does not: told by other nodes' wake-ups and by polls. */
  #missedSince: number | null;
  #readAt = Number.NEGATIVE_INFINITY;
  /**
   * The last reading. A fan-out that is behind takes as many of its events as it has room for, a dozen of 500, and would
   * have the others read again each time (measured: a backlog was worked off at 0.84 to 0.92 of the speed).
   */
  #reading: Reading | null = null;

  /** `tail` and `gaps` are those of the process. */
  constructor(db: Db, tail: LogTail, name: string, gaps = new Gaps(db)) {
    this.#db = db;
    this.#tail = tail;
    this.#name = name;
    this.#gaps = gaps;
    this.#missedSince = tail.nextMoment();
  }

  /** This process reads from here on: what it commits is worth keeping in memory. */
  follow(position: number): void {
    // It may be of long ago.
    this.#reading = null;
    this.#tail.follow(this.#name, position);
  }

  /** It reads no more. */
  unfollow(): void {
    this.#reading = null;
    this.#tail.unfollow(this.#name);
  }

  /** Events up to here need not be kept in memory for this reader. */
  consumed(position: number): void {
    if (this.#reading && position >= this.#reading.upTo) this.#reading = null;
    this.#tail.consumed(this.#name, position);
  }

  /** Another process has published, or it is time to look. */
  mayHaveMissed(): void {
    this.#missedSince = this.#tail.nextMoment();
  }

  /** The next events after a position. Call with the position up to which everything was handled. */
  async next(after: number, wanted: Wanted): Promise<Batch> {
    const fromMemory = this.#fromMemory(after, wanted);
    if (fromMemory) return fromMemory;
    const rest = this.#restOfReading(after, wanted);
    if (rest) return rest;
    // Another reader of this process may have looked since.
    if (this.#isEnd(after)) this.#missedSince = null;
    if (this.#missedSince === null) {
      const gap = this.#waiting?.after === after ? this.#waiting : null;
      if (!gap && !this.#tail.hasBeyond(after)) return nothing(after);
      // What fills the gap comes into memory, or with the word that there is something to look for. Else it has to be dead.
      if (gap && !(await this.#gaps.isDead(gap))) return nothing(after);
    }
    await this.#pause(wanted.share ?? 1);
    return this.#gaps.inTurn(async () => {
      const learned = this.#fromMemory(after, wanted);
      if (learned) return learned;
      if (this.#isEnd(after) && !this.#tail.hasBeyond(after)) return this.#nothingSince(after);
      return this.#fromDatabase(after, wanted);
    });
  }

  /** Another reader has found nothing behind the position since this one was told to look. */
  #isEnd(after: number): boolean {
    return this.#missedSince !== null && this.#tail.isEndSince(after, this.#missedSince);
  }

  #nothingSince(after: number): Batch {
    this.#missedSince = null;
    return nothing(after);
  }

  async #pause(share: number): Promise<void> {
    const left = this.#readAt + pauseOf(share) - monotonicNow();
    if (left > 0) await pause(left);
    this.#readAt = monotonicNow();
  }

  #fromMemory(after: number, { limit }: Wanted): Batch | null {
    const events = this.#tail.take(after, limit);
    return events.length > 0 ? { events, upTo: (events.at(-1) as LoggedEvent).position, more: true } : null;
  }

  /** What was read behind the position and not taken, if it was read for these slots. */
  #restOfReading(after: number, { slots = null }: Wanted): Batch | null {
    const reading = this.#reading;
    if (!reading || after < reading.after || after >= reading.upTo) return null;
    if (reading.slots !== null && (slots === null || !slots.isSubsetOf(reading.slots))) return null;
    const { upTo, more } = reading;
    // Who cut it short may have used up the wake-up for what came since.
    const isMore = more || this.#missedSince !== null;
    return { events: reading.events.filter((e) => e.position > after), upTo, more: isMore };
  }

  async #fromDatabase(after: number, wanted: Wanted): Promise<Batch> {
    const { limit, slots = null } = wanted;
    this.#missedSince = null;
    this.#waiting = null;
    const moment = this.#tail.nextMoment();
    // As it is before the rows are read: what is found out meanwhile says nothing about them.
    const { deadUpTo } = this.#gaps;
    const seen =
      slots === null
        ? await selectAfter(this.#db, after, limit)
        : await selectOfSlotsAfter(this.#db, after, { slots, limit });
    const { settled, blocked } = settle(after, seen.positions, deadUpTo);
    const upTo = settled.at(-1) ?? after;
    const events = blocked ? seen.events.filter((e) => e.position <= upTo) : seen.events;
    if (slots === null) this.#tail.learn(after, events);
    if (!blocked || settled.length > 0) {
      // Whatever is committed after this reading is told of: to look again at once would find an event or two, each time.
      const isFull = seen.positions.length === limit;
      const more = blocked || isFull;
      // Who is behind does not pause.
      if (isFull) this.#readAt = Number.NEGATIVE_INFINITY;
      if (more) this.mayHaveMissed();
      else this.#tail.endedAt(upTo, moment);
      const batch = { events, upTo, more };
      this.#reading = { ...batch, after, slots };
      return batch;
    }
    const [first, last] = [seen.positions[0] as number, seen.positions.at(-1) as number];
    const gap = { after, before: first, seen: last };
    if (await this.#gaps.isDead(gap)) return this.#fromDatabase(after, wanted);
    this.#waiting = gap;
    return nothing(after);
  }
}
