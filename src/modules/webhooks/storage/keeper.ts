import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { type Db, databaseTime } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { firstIdAfter, readerPosition } from '../../events/index.ts';
import { longestRetention } from '../retention/store.ts';
import { addPart, allowUpTo } from './adding-store.ts';
import { isBusy, partsOf } from './parts-store.ts';
import { dropPart, emptyNext, type Kept, purgeRest, removeEmpty } from './taking-off-store.ts';
import { daysBefore, partOf, WEEK_MS, weekOf } from './weeks.ts';

/** Parts are there for so many weeks after this one: a fault that keeps them from being made has a month to be noticed. */
const AHEAD_WEEKS = 4;
/** Rows per statement that only removes: each takes well under a second. */
const PORTION = 2000;
/**
 * Rows that are kept of a part that is removed, per statement. With the first of them the part is taken off, and until they are moved all who write or read
 * deliveries wait: 2,000 kept them waiting for 54 to 113 ms (measured).
 */
const MOST_MOVED = 250;
/**
 * After each portion nothing is done for so many times as long as it took, at most so long. Without a rest it took half of two cores, and deliveries at half
 * load arrived eight times as late until it was over (measured); a longer one keeps for longer from sight what is to be moved. Milliseconds.
 */
const REST = { times: 2, mostMs: 1000 };
/** Parts change once a week; what failed is tried again after this long. Milliseconds. */
const EVERY_MS = 600_000;
/** Where somebody reads for long it is tried so many times, each after the longest rest, before it is left for so long. */
const TRIES = 10;

export interface KeeperDeps {
  db: Db;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Name of the fan-out's cursor: what it has not passed is not removed. */
  reader: string;
  /** 0: for ever, as are dead letters then. */
  retentionDays: number;
  /** 0: for ever. */
  deadLetterDays: number;
  /** For tests: rows per statement, what takes the place of both clocks, and of waiting so many milliseconds. */
  portion?: number;
  time?: () => number;
  rest?: (ms: number) => Promise<void>;
}

/**
 * Keeps a part of `webhook_deliveries` ready for each of the weeks to come, and takes off those whose deliveries are
 * past their retention (docs/adr/0024). By the database's clock, and nothing is removed that is not past its time by this node's as well. What waits and dead letters outlive their part; without a
 * part, rows go where the rest goes, so that nothing here is ever urgent.
 */
export class Keeper implements Loop {
  readonly name = 'delivery-storage';
  readonly everyMs = EVERY_MS;
  readonly #deps: KeeperDeps;
  /** Tries in a row that somebody's reading was in the way of. */
  #inTheWay = 0;
  /** Until then no removal is tried again that somebody's reading is in the way of. On the monotonic clock. */
  #removesFrom = Number.NEGATIVE_INFINITY;
  /** There is more to clean: meanwhile no part is added, for each try of which all may wait. */
  #isCleaning = false;
  /** Weeks that do without a part. */
  readonly #without = new Set<string>();

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  /** One portion, and a rest after it; true when more is to be done. What fails keeps nothing else from being done, and is thrown at the end. */
  async step(): Promise<boolean> {
    const { db, clock, time, portion = PORTION } = this.#deps;
    const now = time?.() ?? (await databaseTime(db));
    // Which clock is wrong, nobody can tell: what both say is past is.
    const least = time ? now : Math.min(now, clock.now());
    const kept = { deadFrom: this.#deadFrom(least), portion: Math.min(portion, MOST_MOVED) };
    const errors: unknown[] = [];
    const tried = (fn: () => Promise<boolean>): Promise<boolean> =>
      fn().catch((error: unknown) => {
        errors.push(error);
        return false;
      });
    const startedAt = monotonicNow();
    // What is out of sight comes first, and alone: where others wait for it, nothing else may take its time.
    let hasMore = await tried(() => emptyNext(db, kept));
    // Nor is more hidden where that does not come back.
    const mayHide = errors.length === 0;
    if (!hasMore) {
      if (!this.#isCleaning) await tried(() => this.#prepare(now).then(() => false));
      hasMore = await tried(() => this.#clean(least, kept, mayHide));
      this.#isCleaning = hasMore;
    }
    const fault = errors.find((error) => !isBusy(error));
    if (fault !== undefined) throw fault;
    if (errors.length > 0 && !hasMore) return this.#tryLater();
    this.#inTheWay = 0;
    if (hasMore) await this.#rest(Math.min(REST.mostMs, REST.times * (monotonicNow() - startedAt)));
    return hasMore;
  }

  #deadFrom(now: number): string {
    const { deadLetterDays } = this.#deps;
    return deadLetterDays === 0 ? leastUuidv7(0) : leastUuidv7(daysBefore(now, deadLetterDays));
  }

  /** True when it is to be tried again at once. */
  async #tryLater(): Promise<boolean> {
    if (++this.#inTheWay < TRIES) {
      await this.#rest(REST.mostMs);
      return true;
    }
    this.#inTheWay = 0;
    this.#deps.log.info('deliveries are being read for long; their storage is seen to later');
    return false;
  }

  #rest(ms: number): Promise<void> {
    return this.#deps.rest?.(ms) ?? new Promise((done) => setTimeout(done, ms));
  }

  async #prepare(now: number): Promise<void> {
    const { db, log } = this.#deps;
    await allowUpTo(db, partOf(weekOf(now) + WEEK_MS));
    const parts = await partsOf(db);
    for (let i = 0; i <= AHEAD_WEEKS; i++) {
      const part = partOf(weekOf(now) + i * WEEK_MS);
      if (this.#without.has(part.name) || parts.some((p) => p.from < part.to && part.from < p.to)) continue;
      const added = await addPart(db, part, { isAhead: i > 1 });
      if (added === 'added') log.info({ part: part.name }, 'deliveries of a week to come have their place');
      if (added !== 'too many') continue;
      this.#without.add(part.name);
      log.warn(
        { part: part.name },
        'a week has too many deliveries already to give it a place of its own; they stay where they are',
      );
    }
  }

  async #clean(now: number, kept: Kept, mayHide: boolean): Promise<boolean> {
    const { db, log, retentionDays, portion = PORTION } = this.#deps;
    await this.#remove();
    if (retentionDays === 0) return false;
    const changedBefore = daysBefore(now, await longestRetention(db, retentionDays));
    const bound = await this.#notPassed(leastUuidv7(changedBefore));
    for (const { name } of mayHide ? (await partsOf(db)).filter((p) => p.to <= bound) : []) {
      if (!(await dropPart(db, name, kept))) continue;
      log.info({ part: name }, 'deliveries past their retention are removed');
      return true;
    }
    return purgeRest(db, bound, new Date(changedBefore), { ...kept, portion });
  }

  /** Whoever reads one that is empty keeps that one, and nothing else, from being removed. */
  async #remove(): Promise<void> {
    if (monotonicNow() < this.#removesFrom) return;
    const read = await removeEmpty(this.#deps.db);
    if (read.length === 0) return;
    this.#removesFrom = monotonicNow() + EVERY_MS;
    this.#deps.log.info({ tables: read }, 'deliveries that were taken off are being read; they are removed later');
  }

  /** This id, or the one of the first event that is not fanned out if that is lower: its rows say what was sent of it. */
  async #notPassed(bound: string): Promise<string> {
    const { db, reader } = this.#deps;
    const open = await firstIdAfter(db, await readerPosition(db, reader));
    return open !== null && open < bound ? open : bound;
  }
}
