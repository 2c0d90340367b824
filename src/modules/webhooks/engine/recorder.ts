import type { Log } from '../../../platform/log/log.ts';
import type { Result } from './types.ts';

/**
 * So long may an outcome wait for others to share its statement: nobody waits for it, and at once it was a statement per
 * 20 rows at fan-out 1. Divided by the share of the accounts that this process sends to, so that it is as many rows. Milliseconds.
 */
const GATHER_MS = 10;
const GATHER_MAX_MS = 100;
/** So long may a cursor stay that passed only what is sent to nobody: it saves reading that again, no more. Milliseconds. */
const PASSED_MS = 100;
/** Rows per statement (measured: 100–500 is the knee for bulk inserts; larger ones hold up the event loop). */
const BATCH = 500;
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 5000;

export interface RecorderOptions {
  /** Writes first outcomes together with the cursor. */
  insert(results: readonly Result[]): Promise<void>;
  /** Writes outcomes of claimed deliveries. */
  update(results: readonly Result[]): Promise<void>;
  /** The part of all accounts that this process sends to. */
  share(): number;
  /** A batch was written. */
  written(): void;
  log: Log;
}

/**
 * Writes results in bulk: a batch leaves at once, and the next forms meanwhile. A database that is away is our fault and
 * costs a receiver no attempt: the outcomes are kept and written when it is back.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #fresh: Result[] = [];
  #claimed: Result[] = [];
  #flushing: Promise<void> | null = null;
  #cursorMoved = false;
  #passed: NodeJS.Timeout | undefined;
  #abandoned = false;
  /** Ends the gathering early. */
  #enough: (() => void) | null = null;
  #isDraining = false;
  #inserted = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** First outcomes that were written. */
  get inserted(): number {
    return this.#inserted;
  }

  /** Results that are not yet written. */
  get backlog(): number {
    return this.#fresh.length + this.#claimed.length;
  }

  add(result: Result): void {
    (result.ticket.lease ? this.#claimed : this.#fresh).push(result);
    this.#kick();
  }

  /** The cursor is to be written now, also without a new row: with it the leases are renewed. */
  touch(): void {
    this.#cursorMoved = true;
    this.#kick();
  }

  /** The cursor can move without a new row (events that nobody subscribed to): it does with the next ones, or after a while. */
  passed(): void {
    this.#passed ??= setTimeout(() => this.touch(), PASSED_MS).unref();
  }

  /** Writes what there is; gives up on a database that is away when `abandon` was called. */
  async drain(): Promise<void> {
    if (this.#passed) this.touch();
    this.#isDraining = true;
    this.#enough?.();
    while (this.#flushing) await this.#flushing;
    this.#isDraining = false;
  }

  abandon(): void {
    this.#abandoned = true;
    clearTimeout(this.#passed);
  }

  #kick(): void {
    if (this.backlog >= BATCH) this.#enough?.();
    this.#flushing ??= this.#flushAll();
  }

  /** Waits for a full batch, but not for long. */
  async #gather(): Promise<void> {
    if (this.#isDraining || this.backlog >= BATCH) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, Math.min(GATHER_MAX_MS, GATHER_MS / this.#options.share()));
      this.#enough = () => (clearTimeout(timer), done());
    });
    this.#enough = null;
  }

  async #flushAll(): Promise<void> {
    await new Promise(setImmediate);
    while (!this.#abandoned && (this.#fresh.length > 0 || this.#claimed.length > 0 || this.#cursorMoved)) {
      await this.#gather();
      if (this.#fresh.length > 0 || this.#cursorMoved) {
        this.#cursorMoved = false;
        clearTimeout(this.#passed);
        this.#passed = undefined;
        const batch = this.#fresh.splice(0, BATCH);
        await this.#persist(() => this.#options.insert(batch));
        this.#inserted += batch.length;
      }
      if (this.#claimed.length > 0) {
        const batch = this.#claimed.splice(0, BATCH);
        await this.#persist(() => this.#options.update(batch));
      }
    }
    this.#flushing = null;
  }

  async #persist(write: () => Promise<void>): Promise<void> {
    for (let wait = RETRY_MIN_MS; !this.#abandoned; wait = Math.min(2 * wait, RETRY_MAX_MS)) {
      try {
        await write();
        this.#options.written();
        return;
      } catch (error) {
        this.#options.log.error(
          { err: error },
          'outcomes of deliveries could not be written; they are kept and tried again',
        );
        await new Promise((done) => setTimeout(done, wait));
      }
    }
  }
}
