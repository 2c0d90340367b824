import { AppError } from '../../../contracts/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Db, isDatabaseAway } from '../../../platform/db/index.ts';
import { commitBatch, type Request } from './commit-batch.ts';
import type { Outcome } from './tally.ts';

/** Requests per transaction: the locks on their posts are held for as long as it takes. */
const BATCH = 256;
/** Requests that may wait: some seconds of what one node commits. More are refused, rather than answered late. */
const MAX_WAITING = 10_000;

interface Waiting extends Request {
  done(outcome: Outcome): void;
  failed(error: unknown): void;
}

export interface GroupCommitOptions {
  db: Db;
  clock: Clock;
  /** Most requests waiting for their commit. */
  maxWaiting?: number;
  /** Called after a commit and before its requests are answered, with the posts whose counters changed. */
  onCommitted?: (postIds: readonly string[]) => void;
}

/**
 * Group commit: requests that arrive while a commit is under way share the next one. However many readers like one
 * post at once, a node rewrites its counters once per commit, and its writers do not queue for the lock on one row.
 */
export class GroupCommit {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #maxWaiting: number;
  readonly #onCommitted: NonNullable<GroupCommitOptions['onCommitted']>;
  #waiting: Waiting[] = [];
  /** Waiting, or in the batch that is being committed. */
  #count = 0;
  #flushing: Promise<void> | null = null;

  constructor({ db, clock, maxWaiting = MAX_WAITING, onCommitted = () => undefined }: GroupCommitOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#maxWaiting = maxWaiting;
    this.#onCommitted = onCommitted;
  }

  get waiting(): number {
    return this.#count;
  }

  /** Resolves after the commit. Throws UNAVAILABLE when too much is waiting: nothing was taken then. */
  add(request: Request): Promise<Outcome> {
    if (this.#count >= this.#maxWaiting) {
      throw new AppError('UNAVAILABLE', {
        message: 'More likes, views and shares are waiting than may be; slow down.',
        headers: { 'retry-after': '1' },
      });
    }
    this.#count++;
    return new Promise((done, failed) => {
      this.#waiting.push({ ...request, done, failed });
      this.#flushing ??= this.#flushAll();
    });
  }

  /** Resolves when nothing is waiting. */
  async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    // One turn of the event loop gathers what arrived together with the first.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      await this.#flush(batch);
      this.#count -= batch.length;
    }
    this.#flushing = null;
  }

  /** A batch that fails is committed request by request, so that one bad request does not fail its neighbours. */
  async #flush(batch: readonly Waiting[]): Promise<void> {
    try {
      const { outcomes, changed } = await commitBatch(this.#db, batch, new Date(this.#clock.now()));
      if (changed.length > 0) this.#onCommitted(changed);
      for (const [i, w] of batch.entries()) w.done(outcomes[i] as Outcome);
    } catch (error) {
      if (batch.length === 1 || isDatabaseAway(error)) for (const w of batch) w.failed(error);
      else for (const w of batch) await this.#flush([w]);
    }
  }
}
