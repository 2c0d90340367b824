import { Gauge, type Registry } from 'prom-client';
import { type Clock, monotonicNow, systemClock, uptimeNow } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { databaseTime } from './database-time.ts';
import type { Db } from './types.ts';

/** How often the database is asked for the time. A few statements a minute. */
const EVERY_MS = 10_000;
/** What a reading is off by itself, besides half of the time it took: less than this is no news. */
const ROUGH_MS = 100;
/** A clock of this machine that goes so much more, or less, than what never jumps was set, or the machine slept. */
const JUMP_MS = 1000;
/** After a jump it is asked so often until it answers, and so many questions wait at most: each has a connection of the pool. */
const AGAIN_MS = 1000;
const MOST_WAITING = 3;
/** From here on it is told that the clock of this machine is wrong. */
const TOLD_MS = 2000;

export interface DatabaseClockOptions {
  /** The time by the database. Milliseconds since the epoch. */
  ask: () => Promise<number>;
  log: Pick<Log, 'warn' | 'info'>;
  own?: Clock;
  /** Milliseconds of a clock that never jumps, and of one that goes on while the machine sleeps. */
  monotonic?: () => number;
  uptime?: () => number;
}

/**
 * The time by the database, without a question for each reading: between two answers what never jumps goes on. All nodes have one time by
 * it, within a tenth of a second, whatever the clocks of their machines say (docs/adr/0045). Before the first answer, and where
 * the database does not answer, it goes on as it was, with what the machine has slept.
 */
export class DatabaseClock implements Clock {
  /** How far it is ahead of the clock of this machine, for threads, which can read that only. Milliseconds. */
  readonly offset = new Float64Array(new SharedArrayBuffer(8));
  readonly #ask: () => Promise<number>;
  readonly #log: Pick<Log, 'warn' | 'info'>;
  readonly #own: Clock;
  readonly #monotonic: () => number;
  readonly #uptime: () => number;
  /** What the time is when the monotonic clock is at 0: by the database, and by this machine when last looked at. */
  #origin: number;
  #ownOrigin: number;
  /** How far the machine's uptime is ahead of the monotonic clock: what it has slept. */
  #slept: number;
  /** The clock of the machine has jumped, and no question that was asked since was answered. */
  #isDoubtful = false;
  #jumps = 0;
  #asked = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  #isTold = false;

  constructor(options: DatabaseClockOptions) {
    const { ask, log, own = systemClock, monotonic = monotonicNow, uptime = uptimeNow } = options;
    this.#ask = ask;
    this.#log = log;
    this.#own = own;
    this.#monotonic = monotonic;
    this.#uptime = uptime;
    this.#origin = this.#ownOrigin = own.now() - monotonic();
    this.#slept = uptime() - monotonic();
  }

  now(): number {
    const at = this.#lookForJump();
    if (this.#isDoubtful && at - this.#asked >= AGAIN_MS && this.#waiting < MOST_WAITING) void this.read();
    return Math.floor(this.#origin + at);
  }

  /** Asks the database. One that does not answer changes nothing. */
  async read(): Promise<void> {
    const before = this.#lookForJump();
    this.#asked = before;
    const jumps = this.#jumps;
    this.#waiting += 1;
    const theirs = await this.#ask().catch(() => null);
    this.#waiting -= 1;
    const half = (this.#lookForJump() - before) / 2;
    // How long ago an answer was given, between which and now the machine slept, nobody knows.
    if (theirs === null || jumps !== this.#jumps) return;
    this.#isDoubtful = false;
    const origin = theirs - before - half;
    if (Math.abs(origin - this.#origin) > ROUGH_MS + half) this.#origin = origin;
    this.#note(this.#own.now() - this.#monotonic());
    this.#tell();
  }

  /** Nothing that is asked for regularly is asked twice at once. */
  get isAsking(): boolean {
    return this.#waiting > 0;
  }

  /** The monotonic clock, after whatever the clock of the machine has done was looked at. */
  #lookForJump(): number {
    const at = this.#monotonic();
    const ownOrigin = this.#own.now() - at;
    if (Math.abs(ownOrigin - this.#ownOrigin) <= JUMP_MS) return at;
    const slept = this.#uptime() - at;
    // Where it was set only, the two have gone equally far.
    if (slept - this.#slept > JUMP_MS) this.#origin += slept - this.#slept;
    this.#slept = slept;
    this.#jumps += 1;
    this.#isDoubtful = true;
    this.#asked = Number.NEGATIVE_INFINITY;
    this.#note(ownOrigin);
    return at;
  }

  #note(ownOrigin: number): void {
    this.#ownOrigin = ownOrigin;
    this.offset[0] = this.#origin - ownOrigin;
  }

  #tell(): void {
    const seconds = Math.round((this.offset[0] ?? 0) / 1000);
    const isOff = Math.abs(seconds) * 1000 >= TOLD_MS;
    if (isOff === this.#isTold) return;
    this.#isTold = isOff;
    if (isOff)
      this.#log.warn(
        { databaseIsAheadBySeconds: seconds },
        'the clock of this machine and that of the database differ: the database’s is used. Set both by NTP',
      );
    else this.#log.info('the clock of this machine and that of the database agree again');
  }
}

export function registerClockMetric({ offset }: { offset: ArrayLike<number> }, metrics: Registry): void {
  const ahead: Gauge = new Gauge({
    name: 'posthorn_database_clock_ahead_seconds',
    help: 'How far the clock of the database, which is used, is ahead of the one of this machine',
    registers: [metrics],
    collect: (): void => ahead.set((offset[0] ?? 0) / 1000),
  });
}

/** A clock that follows the one of a database until it is stopped. */
export async function followDatabaseClock(
  db: Db,
  log: Pick<Log, 'warn' | 'info'>,
  metrics: Registry,
): Promise<{ clock: DatabaseClock; stop: () => void }> {
  const clock = new DatabaseClock({ ask: () => databaseTime(db), log });
  registerClockMetric(clock, metrics);
  await clock.read();
  const timer = setInterval(() => {
    if (!clock.isAsking) void clock.read();
  }, EVERY_MS).unref();
  return { clock, stop: () => clearInterval(timer) };
}
