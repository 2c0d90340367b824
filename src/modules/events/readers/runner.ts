import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import {
  type Db,
  type Env,
  inTransaction,
  isCancelled,
  isDatabaseAway,
  isRetryable,
  type Trx,
} from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { LogSource } from '../log-source.ts';
import { acquireReader, releaseReader } from '../reader-store.ts';
import { selectByPositions } from '../store.ts';
import type { LoggedEvent } from '../types.ts';
import type { Reaction } from './reaction.ts';
import type { TakenReaders } from './taken-readers.ts';
import { deleteFailure, moveCursor, saveFailure, selectDueFailures } from './store.ts';

/** Events that are read at once. */
const BATCH_EVENTS = 500;
/**
 * Events that are handled in one transaction, one after another: what it publishes holds up other readers of the log until
 * it commits, so it must be short.
 */
const PER_TRANSACTION = 50;
/** Of a reaction that publishes and handles many at once: some 400 events of checkouts then, by one statement. */
const PUBLISHING_AT_ONCE = 100;
/**
 * So long after its cursor was saved a reader looks for more, and what is published meanwhile shares the next transaction: under load
 * there would be one for each commit of events, for a few of them each. One that has just read as much as it can does not wait. Milliseconds.
 */
const GATHER_MS = 20;
/** The same for one that publishes nothing: nobody waits for more than a page that shows it. Each transaction waits for the disk. Milliseconds. */
const GATHER_SILENT_MS = 50;
/** Failures that are tried again in one step. */
const RETRIES_PER_STEP = 20;
/** A node without the lease asks for it at most this often; failures are looked for as often. Milliseconds. */
const ASK_AGAIN_MS = 500;
/** The lease is renewed, and a cursor that passed only what is not read saved, when that was not done for this long. Milliseconds. */
const RENEW_MS = 1500;
/** An event that fails is tried again after these, and then set aside. Milliseconds. */
const RETRY_AFTER_MS = [1000, 5000, 30_000, 120_000, 600_000];
/**
 * So often in a row something passing may be the matter with one event; then it is the event's failure, else it would stop
 * the reaction for ever. Some 30 s, as a loop repeats a step that throws.
 */
const PASSING_MAX = 10;
/** What is kept of an error. UTF-16 units. */
const ERROR_MAX = 2000;

/** Another node has the lease now, or the cursor was set back: what was being done is rolled back. */
class LeaseLost extends Error {}

/** Not the event's fault: everything is tried again. A statement that took too long is: it would at every other try. */
const isPassing = (error: unknown): boolean => !isCancelled(error) && (isDatabaseAway(error) || isRetryable(error));

const textOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).replaceAll('\0', '').slice(0, ERROR_MAX);

export interface RunnerDeps {
  db: Db;
  clock: Clock;
  log: Log;
  newId: () => string;
  nodeId: string;
  source: LogSource;
  taken: TakenReaders;
}

/**
 * Runs one reaction: one node at a time, in the order of the log, effect and cursor in one transaction. An event that fails
 * stops no other: it is kept apart, tried again, and in the end set aside for an operator (docs/adr/0018).
 */
export class ReactionRunner {
  readonly reaction: Reaction;
  readonly #deps: RunnerDeps;
  readonly #names: ReadonlySet<string>;
  /** The cursor as it is stored; null: another node has the lease. */
  #cursor: number | null = null;
  #readUpTo = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #savedAt = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isBehind = false;
  /** How often in a row something passing was the matter, by the position of the event, or of the first of a portion. */
  readonly #passing = new Map<number, number>();

  constructor(reaction: Reaction, deps: RunnerDeps) {
    this.reaction = reaction;
    this.#deps = deps;
    this.#names = new Set(reaction.events);
  }

  /** One portion; true when more may be waiting. Throws what the database throws when it is away. */
  async step(polled: boolean): Promise<boolean> {
    try {
      if (polled) this.#deps.source.mayHaveMissed();
      if (this.#cursor === null && !(await this.#acquire())) return false;
      await this.#retryDue();
      const left = this.#savedAt + (this.reaction.publishes ? GATHER_MS : GATHER_SILENT_MS) - monotonicNow();
      if (left > 0 && !this.#isBehind) await pause(left);
      const batch = await this.#deps.source.next(this.#readUpTo, { limit: BATCH_EVENTS });
      this.#isBehind = batch.events.length >= BATCH_EVENTS;
      for (let i = 0; i < batch.events.length; ) i = await this.#handleSome(batch.events, i);
      this.#deps.source.consumed(this.#readUpTo);
      if (monotonicNow() - this.#savedAt > RENEW_MS) await this.#move(this.#deps.db, this.#readUpTo);
      return batch.more;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.#forget();
      return true;
    }
  }

  /** Gives the lease up. */
  async release(): Promise<void> {
    if (this.#cursor === null) return;
    const { db, nodeId } = this.#deps;
    await this.#move(db, this.#readUpTo).catch(() => undefined);
    this.#forget();
    await releaseReader(db, this.reaction.name, nodeId);
  }

  async #acquire(): Promise<boolean> {
    const { db, clock, nodeId, source, taken } = this.#deps;
    if (await taken.has(this.reaction.name)) return false;
    if (monotonicNow() - this.#askedAt < ASK_AGAIN_MS) return false;
    this.#askedAt = monotonicNow();
    const cursor = await acquireReader(db, this.reaction.name, nodeId, new Date(clock.now()));
    if (cursor === null) return false;
    this.#cursor = cursor;
    this.#readUpTo = cursor;
    this.#savedAt = monotonicNow();
    source.follow(cursor);
    source.mayHaveMissed();
    return true;
  }

  #forget(): void {
    this.#cursor = null;
    this.#passing.clear();
    this.#deps.source.unfollow();
  }

  /** Whether to begin again from where everything is stored, rather than hold the error against the event at this position. */
  #isToRepeat(error: unknown, position: number): boolean {
    if (error instanceof LeaseLost) return true;
    if (!isPassing(error)) return false;
    const times = (this.#passing.get(position) ?? 0) + 1;
    this.#passing.set(position, times);
    return times < PASSING_MAX;
  }

  /** Saves the cursor, as part of a transaction or by itself. */
  async #move(db: Db | Trx, to: number): Promise<void> {
    const from = this.#cursor as number;
    const { clock, nodeId: owner } = this.#deps;
    const isMine = await moveCursor(db, { name: this.reaction.name, owner, from, to, now: new Date(clock.now()) });
    if (!isMine) throw new LeaseLost();
    if (!db.isTransaction) this.#moved(to);
  }

  #moved(to: number): void {
    this.#cursor = to;
    this.#readUpTo = to;
    this.#savedAt = monotonicNow();
  }

  #envOf(event: LoggedEvent): Env {
    const { clock, newId } = this.#deps;
    return { now: new Date(clock.now()), newId, requestId: event.requestId };
  }

  /** Handles events from `start` on, in one transaction; returns where the next portion begins. */
  async #handleSome(events: readonly LoggedEvent[], start: number): Promise<number> {
    const mine: LoggedEvent[] = [];
    let end = start;
    const { reactToAll, publishes } = this.reaction;
    const most = !reactToAll ? PER_TRANSACTION : publishes ? PUBLISHING_AT_ONCE : BATCH_EVENTS;
    for (; end < events.length && mine.length < most; end++) {
      const event = events[end] as LoggedEvent;
      if (this.#names.has(event.event)) mine.push(event);
    }
    const { position } = events[end - 1] as LoggedEvent;
    if (mine.length === 0) this.#readUpTo = position;
    else if (mine.length === 1 || !(await this.#tryAll(mine, position))) {
      for (const event of mine) {
        await this.#tryOne(event, 1, event.position);
        this.#moved(event.position);
      }
      this.#readUpTo = position;
    }
    return end;
  }

  /** False when one of them fails; nothing was done then. */
  async #tryAll(events: readonly LoggedEvent[], position: number): Promise<boolean> {
    const first = (events[0] as LoggedEvent).position;
    try {
      await inTransaction(this.#deps.db, async (trx) => {
        // First, so that the row is locked: however long this takes, no other node comes between.
        await this.#move(trx, position);
        await this.#reactToAll(trx, events);
      });
    } catch (error) {
      if (this.#isToRepeat(error, first)) throw error;
      // Which one it was shows when each is tried by itself.
      return false;
    }
    this.#passing.delete(first);
    this.#moved(position);
    return true;
  }

  async #reactToAll(trx: Trx, events: readonly LoggedEvent[]): Promise<void> {
    const { reaction } = this;
    if (reaction.reactToAll) await reaction.reactToAll(trx, events, this.#envOf(events[0] as LoggedEvent));
    else for (const event of events) await reaction.react(trx, event, this.#envOf(event));
  }

  /** The effect of one event, or the record of its failure, with the cursor moved in the same transaction. */
  async #tryOne(event: LoggedEvent, attempt: number, cursor: number): Promise<void> {
    const { db, clock, log } = this.#deps;
    try {
      await inTransaction(db, async (trx) => {
        await this.#move(trx, cursor);
        await this.reaction.react(trx, event, this.#envOf(event));
        await deleteFailure(trx, this.reaction.name, event.position);
      });
      this.#passing.delete(event.position);
    } catch (error) {
      if (this.#isToRepeat(error, event.position)) throw error;
      const now = clock.now();
      const wait = RETRY_AFTER_MS[attempt - 1];
      log.error(
        { err: error, reader: this.reaction.name, eventId: event.id, requestId: event.requestId, attempt },
        wait === undefined ? 'an event was set aside: a reaction failed at it again' : 'a reaction failed at an event',
      );
      await inTransaction(db, async (trx) => {
        await this.#move(trx, cursor);
        const nextAttemptAt = wait === undefined ? null : new Date(now + wait);
        await saveFailure(trx, this.reaction.name, event, {
          error: textOf(error),
          attempts: attempt,
          now: new Date(now),
          nextAttemptAt,
        });
      });
      this.#passing.delete(event.position);
    }
  }

  /** Tries again what failed before, as far as its time has come. */
  async #retryDue(): Promise<void> {
    if (monotonicNow() - this.#lookedAt < ASK_AGAIN_MS) return;
    this.#lookedAt = monotonicNow();
    const { db, clock } = this.#deps;
    const due = await selectDueFailures(db, this.reaction.name, new Date(clock.now()), RETRIES_PER_STEP);
    if (due.length === 0) return;
    const events = await selectByPositions(
      db,
      due.map((failure) => failure.position),
    );
    for (const { position, attempts } of due) {
      const event = events.find((e) => e.position === position);
      // The cursor stays where it is; that it is still this node's is asked all the same.
      if (event) await this.#tryOne(event, attempts + 1, this.#cursor as number);
    }
  }
}
