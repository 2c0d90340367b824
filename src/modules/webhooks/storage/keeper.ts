import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { type Db, databaseTime } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { firstIdAfter, readerPosition } from '../../events/index.ts';
import { longestRetention } from '../retention/store.ts';
import { addPart, allowAgain } from './adding-store.ts';
import { FormerAddresses } from './former-addresses.ts';
import { isBusy, isOfAnother, partsOf } from './parts-store.ts';
import { Removal, type RemovalDeps } from './removal.ts';
import { dropPart, emptyNext, type Kept, purgeRest } from './taking-off-store.ts';
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
/** How often is looked for what a process left that was killed: what is out of sight, and what may not come into the rest. Milliseconds. */
const LOOK_MS = 10_000;
/** Parts change once a week; so often is looked for that, and tried again what failed. Milliseconds. */
const EVERY_MS = 600_000;
/** A week that did without a part is tried again after this long: while it is far, only by reading the rest beside those who use it. Milliseconds. */
const WITHOUT_MS = 86_400_000;
/** Where somebody reads for long it is tried so many times, each after the longest rest, before it is left for so long. */
const TRIES = 10;

/** Things that are done one after the other, of which one that fails keeps none of the others from being done. */
class Tries {
  readonly errors: unknown[] = [];

  /** Somebody was in the way of one. For a tenth of a second all waited with it, so nothing like it should follow at once. */
  get wereBusy(): boolean {
    return this.errors.some(isBusy);
  }

  /** Undefined when it failed. */
  async run<T>(fn: () => Promise<T>): Promise<T | undefined> {
    try {
      return await fn();
    } catch (error) {
      this.errors.push(error);
      return undefined;
    }
  }
}

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
  /** For tests: rows per statement, after how many milliseconds parts are seen to again, what takes the place of both clocks, and of waiting so many milliseconds. */
  portion?: number;
  againMs?: number;
  time?: () => number;
  rest?: (ms: number) => Promise<void>;
  /** For tests: the pace at which files go. */
  removal?: Pick<RemovalDeps, 'atOnce' | 'msPerGigabyte'>;
}

/**
 * Keeps a part of `webhook_deliveries` ready for each of the weeks to come, and takes off those whose deliveries are
 * past their retention (docs/adr/0024). By the database's clock, and nothing is removed that is not past its time by this node's as well. What waits and dead letters outlive their part; without a
 * part, rows go where the rest goes, so that nothing here is ever urgent. Former addresses of endpoints go with the deliveries that went there.
 */
export class Keeper implements Loop {
  readonly name = 'delivery-storage';
  readonly everyMs = LOOK_MS;
  readonly #deps: KeeperDeps;
  readonly #former: FormerAddresses;
  readonly #removal: Removal;
  /** Tries in a row that somebody's reading was in the way of. */
  #inTheWay = 0;
  /** There is more to clean: meanwhile no part is added, for each try of which all may wait. */
  #isCleaning = false;
  /** Weeks that do without a part, each with when it is tried again, on the monotonic clock. */
  readonly #without = new Map<string, number>();
  /** When parts are seen to next, on the monotonic clock. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #looked: { at: number; refused: ReadonlySet<string> } = { at: Number.NEGATIVE_INFINITY, refused: new Set() };

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
    this.#former = new FormerAddresses(deps.db, deps.retentionDays);
    this.#removal = new Removal({ db: deps.db, log: deps.log, ...deps.removal });
  }

  /** One portion, and a rest after it; true when more is to be done. What fails keeps nothing else from being done, and is thrown at the end. */
  async step(): Promise<boolean> {
    const { db, clock, time, portion = PORTION, againMs = EVERY_MS } = this.#deps;
    const now = time?.() ?? (await databaseTime(db));
    // Which clock is wrong, nobody can tell: what both say is past is.
    const least = time ? now : Math.min(now, clock.now());
    const kept = { deadFrom: this.#deadFrom(least), portion };
    const tries = new Tries();
    const startedAt = monotonicNow();
    // What is out of sight comes first, and alone: where others wait for it, nothing else may take its time.
    let hasMore = (await tries.run(() => emptyNext(db, kept))) ?? false;
    // Nor is more hidden where that does not come back.
    const mayHide = tries.errors.length === 0;
    if (!hasMore) {
      await tries.run(() => this.#look());
      await tries.run(() => this.#removal.step());
      if (this.#isCleaning || startedAt >= this.#dueAt) {
        this.#dueAt = startedAt + againMs;
        if (!this.#isCleaning) await this.#prepare(now, tries);
        hasMore =
          (await this.#clean(least, kept, { mayHide, tries })) ||
          ((await tries.run(() => this.#former.step(least, portion))) ?? false);
        this.#isCleaning = hasMore;
      }
    }
    const fault = tries.errors.find((error) => !isBusy(error));
    // Soon: how soon, the loop knows by how often it has failed.
    if (tries.errors.length > 0) this.#dueAt = Number.NEGATIVE_INFINITY;
    if (fault !== undefined) throw fault;
    if (tries.errors.length > 0 && !hasMore) return this.#tryLater(tries.errors.every(isOfAnother));
    this.#inTheWay = 0;
    if (hasMore) await this.#rest(Math.min(REST.mostMs, REST.times * (monotonicNow() - startedAt)));
    return hasMore;
  }

  #deadFrom(now: number): string {
    const { deadLetterDays } = this.#deps;
    return deadLetterDays === 0 ? leastUuidv7(0) : leastUuidv7(daysBefore(now, deadLetterDays));
  }

  /** True when it is to be tried again at once. `isDone`: another node is at it. */
  async #tryLater(isDone: boolean): Promise<boolean> {
    if (isDone) return false;
    if (++this.#inTheWay < TRIES) {
      await this.#rest(REST.mostMs);
      return true;
    }
    this.#inTheWay = 0;
    this.#dueAt = monotonicNow() + (this.#deps.againMs ?? EVERY_MS);
    this.#deps.log.info('deliveries are being read for long; their storage is seen to later');
    return false;
  }

  #rest(ms: number): Promise<void> {
    return this.#deps.rest?.(ms) ?? new Promise((done) => setTimeout(done, ms));
  }

  /** Lets into the rest again what a process that was killed has kept from it. */
  async #look(): Promise<void> {
    const { at, refused } = this.#looked;
    // Not what another step has told a moment ago.
    if (monotonicNow() - at < LOOK_MS / 2) return;
    this.#looked = { at: monotonicNow(), refused: await allowAgain(this.#deps.db, refused) };
  }

  async #prepare(now: number, tries: Tries): Promise<void> {
    const { db, log } = this.#deps;
    const parts = (await tries.run(() => partsOf(db))) ?? null;
    for (let i = 0; parts !== null && i <= AHEAD_WEEKS && !tries.wereBusy; i++) {
      const part = partOf(weekOf(now) + i * WEEK_MS);
      const isLater = monotonicNow() < (this.#without.get(part.name) ?? Number.NEGATIVE_INFINITY);
      if (isLater || parts.some((p) => p.from < part.to && part.from < p.to)) continue;
      const added = await tries.run(() => addPart(db, part, { isAhead: i > 1 }));
      if (added === 'added') log.info({ part: part.name }, 'deliveries of a week to come have their place');
      if (added !== 'too many') continue;
      this.#without.set(part.name, monotonicNow() + WITHOUT_MS);
      log.warn(
        { part: part.name },
        'a week gets no place of its own for now: too many deliveries are where all go that have none, and they stay there',
      );
    }
  }

  async #clean(now: number, kept: Kept, { mayHide, tries }: { mayHide: boolean; tries: Tries }): Promise<boolean> {
    const { db, log, retentionDays } = this.#deps;
    if (retentionDays === 0) return false;
    const bounds = await tries.run(async () => {
      const changedBefore = daysBefore(now, await longestRetention(db, retentionDays));
      return { changedBefore, bound: await this.#notPassed(leastUuidv7(changedBefore)) };
    });
    if (!bounds) return false;
    const { changedBefore, bound } = bounds;
    const parts = (mayHide && (await tries.run(() => partsOf(db)))) || [];
    for (const { name } of parts.filter((p) => p.to <= bound)) {
      if (tries.wereBusy) break;
      const little = { ...kept, portion: Math.min(kept.portion, MOST_MOVED) };
      const dropped = await tries.run(() => dropPart(db, name, little));
      if (dropped === 'too many wait')
        log.warn(
          { part: name },
          'so many deliveries past their retention wait to be sent that their week stays for now',
        );
      if (dropped !== 'dropped') continue;
      log.info({ part: name }, 'deliveries past their retention are removed');
      return true;
    }
    return (await tries.run(() => purgeRest(db, bound, new Date(changedBefore), kept))) ?? false;
  }

  /** This id, or the one of the first event that is not fanned out if that is lower: its rows say what was sent of it. */
  async #notPassed(bound: string): Promise<string> {
    const { db, reader } = this.#deps;
    const open = await firstIdAfter(db, await readerPosition(db, reader));
    return open !== null && open < bound ? open : bound;
  }
}
