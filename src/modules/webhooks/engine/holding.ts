import { monotonicNow } from '../../../lib/clock.ts';
import { hasSlot, type LogSource, type Part, READER_LEASE_MS, slotOf } from '../../events/index.ts';
import type { EventProgress, Result } from './types.ts';
import { type Closing, Window } from './window.ts';

/** The lease is renewed when it was not for this long. A third of its length. Milliseconds. */
const RENEW_MS = 1500;

/** What is to be written of one holding: its outcomes, and its cursor behind them. */
export interface Move {
  holding: Holding;
  /** Of its part. */
  name: string;
  results: readonly Result[];
  closing: Closing;
  cursor: number;
  /** When the lease was asked for, on the monotonic clock. */
  askedAt: number;
}

/** One part of the fan-out (or all of it) that this node holds by a lease, from taking it until losing it or giving it up. */
export class Holding {
  readonly part: Part;
  /** No other holding of this process has the same number. */
  readonly generation: number;
  readonly source: LogSource;
  /** Events up to here may have been fanned out by an earlier holder. */
  readonly recoverUpTo: number;
  /** Since when. On the monotonic clock, milliseconds. */
  readonly since = monotonicNow();
  /** Events up to here are read. */
  readUpTo: number;
  /** It is being given up since then: nothing is read or begun any more, and what is under way ends. */
  leavingSince: number | null = null;
  readonly #window: Window;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /**
   * Until when no other node can have taken over. On this node's monotonic clock, from before the lease was asked for, so
   * that it ends here no later than in the database. Milliseconds.
   */
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(
    part: Part,
    {
      generation,
      cursor,
      recoverUpTo,
      askedAt,
      source,
    }: {
      generation: number;
      cursor: number;
      recoverUpTo: number;
      askedAt: number;
      source: LogSource;
    },
  ) {
    this.part = part;
    this.generation = generation;
    this.source = source;
    this.recoverUpTo = recoverUpTo;
    this.readUpTo = cursor;
    this.#window = new Window(cursor, generation);
    this.#renewed(askedAt);
  }

  /** Whether this node may send to the accounts of the part at this moment: see `FanOut.maySend`. */
  get maySend(): boolean {
    return this.leavingSince === null && monotonicNow() < this.#validUntil;
  }

  get isRenewalDue(): boolean {
    return monotonicNow() - this.#renewedAt > RENEW_MS;
  }

  /** Events that are read and not yet done. */
  get open(): number {
    return this.#window.unfinished;
  }

  /** Events between the cursor and what has been read that had deliveries. */
  get size(): number {
    return this.#window.size;
  }

  has(accountId: string): boolean {
    return hasSlot(this.part, slotOf(accountId));
  }

  /** For an event that is about to be taken on; nothing has happened yet. */
  create(position: number): EventProgress {
    return this.#window.create(position);
  }

  /** The event is read and causes so many deliveries of accounts of the part. */
  take(progress: EventProgress, deliveries: number): void {
    this.#window.open(progress, deliveries);
    this.readUpTo = progress.position;
  }

  /** The event is read, and is nothing for the accounts of the part. */
  pass(position: number): void {
    this.#window.pass(position);
    this.readUpTo = position;
  }

  /** What may be written once these outcomes are. Changes nothing. */
  plan(results: readonly Result[]): Move {
    const closing = new Map<EventProgress, number>();
    for (const { ticket } of results)
      if (ticket.progress) closing.set(ticket.progress, (closing.get(ticket.progress) ?? 0) + 1);
    return {
      holding: this,
      name: this.part.name,
      results,
      closing,
      cursor: this.#window.cursorAfter(closing),
      askedAt: monotonicNow(),
    };
  }

  /** It was written, and the lease renewed with it. */
  written({ closing, askedAt }: Move): void {
    this.#window.close(closing);
    this.#renewed(askedAt);
  }

  #renewed(askedAt: number): void {
    this.#renewedAt = monotonicNow();
    this.#validUntil = Math.max(this.#validUntil, askedAt + READER_LEASE_MS);
  }
}
