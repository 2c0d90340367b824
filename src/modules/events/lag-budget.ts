import { AppError } from '../../contracts/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { greatestLag } from './reader-store.ts';

/** How old the figure may be that a request is judged by. Milliseconds. */
const LOOK_EVERY_MS = 1000;
/** Thousands of events are not worked off within a second. Seconds. */
const RETRY_AFTER = '5';

export interface LagBudgetOptions {
  db: Db;
  clock: Clock;
  /** Events that a reader may be behind; 0: any number. */
  max: number;
}

/**
 * How far those readers may be behind the log that what is published has to wait for. Events are safe in the log however
 * many there are, but a 202 says that they will be delivered, and with hours of others before them that says little. The
 * database is asked once a second, by whoever comes then.
 */
export class LagBudget {
  readonly #options: LagBudgetOptions;
  readonly #readers = new Set<string>();
  #lag = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(options: LagBudgetOptions) {
    this.#options = options;
  }

  /**
   * This reader counts from now on. Reactions do not: nobody outside waits for them, and one that is computed anew is
   * behind by all of the log.
   */
  count(reader: string): void {
    this.#readers.add(reader);
  }

  /** Rejects with UNAVAILABLE while a reader is further behind than it may be. */
  async check(): Promise<void> {
    if (this.#options.max === 0 || this.#readers.size === 0) return;
    if (this.#isOld) await (this.#looking ??= this.#look().finally(() => (this.#looking = null)));
    if (this.#lag <= this.#options.max) return;
    throw new AppError('UNAVAILABLE', {
      message: 'Too many earlier events wait to be delivered; slow down.',
      headers: { 'retry-after': RETRY_AFTER },
    });
  }

  /** Also when the clock was set back. */
  get #isOld(): boolean {
    return Math.abs(this.#options.clock.now() - this.#lookedAt) >= LOOK_EVERY_MS;
  }

  async #look(): Promise<void> {
    const now = this.#options.clock.now();
    this.#lag = await greatestLag(this.#options.db, [...this.#readers]);
    this.#lookedAt = now;
  }
}
