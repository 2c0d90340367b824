import { AppError } from '../../../contracts/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Db, isDatabaseAway, isLockTimeout } from '../../../platform/db/index.ts';
import { type Attempt, commitBatch, type LockOptions, type Request } from './commit-batch.ts';
import type { Outcome } from './tally.ts';

/** Requests per transaction: the locks on their posts are held for as long as it takes. */
const BATCH = 256;
/** Requests that may wait: some seconds of what one node commits. More are refused, rather than answered late. */
const MAX_WAITING = 10_000;

/**
 * Others hold counters for some milliseconds as a rule, and batches take turns. Who holds them longer (a post with a
 * million likes that is being deleted) must not keep the readers of other posts: from then on its own wait apart.
 * Milliseconds.
 */
const AT_FIRST: LockOptions = { waitMs: 100, skipLocked: false };
const WITHOUT_LOCKED: LockOptions = { waitMs: 100, skipLocked: true };
const APART: LockOptions = { waitMs: 1000, skipLocked: false };

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
  /** By address: what waits for counters that others hold. */
  readonly #apart = new Map<string, Waiting[]>();
  /** Waiting, or in the batch that is being committed. */
  #count = 0;
  #flushing: Promise<void> | null = null;
  #flushingApart: Promise<void> | null = null;

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
    while (this.#flushing || this.#flushingApart) {
      await this.#flushing;
      await this.#flushingApart;
    }
  }

  async #flushAll(): Promise<void> {
    // One turn of the event loop gathers what arrived together with the first.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      this.#setApart(batch.filter((w) => this.#apart.has(w.action.slug)));
      await this.#flush(batch.filter((w) => !this.#apart.has(w.action.slug)));
    }
    this.#flushing = null;
  }

  /** What waits apart goes post by post, and one whose counters are still held after a while to the end. */
  async #flushAllApart(): Promise<void> {
    for (let next = this.#nextApart(); next; next = this.#nextApart()) {
      const [slug, waiting] = next;
      const batch = waiting.slice(0, BATCH);
      const isDone = await this.#commit(batch, APART);
      this.#apart.delete(slug);
      const left = isDone ? waiting.slice(batch.length) : waiting;
      if (left.length > 0) this.#apart.set(slug, left);
    }
    this.#flushingApart = null;
  }

  #nextApart(): [string, Waiting[]] | undefined {
    return this.#apart.entries().next().value;
  }

  #setApart(requests: readonly Waiting[]): void {
    for (const w of requests) {
      const of = this.#apart.get(w.action.slug);
      if (of) of.push(w);
      else this.#apart.set(w.action.slug, [w]);
    }
    if (this.#apart.size > 0) this.#flushingApart ??= this.#flushAllApart();
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0 || (await this.#commit(batch, AT_FIRST))) return;
    if (!(await this.#commit(batch, WITHOUT_LOCKED))) this.#setApart(batch);
  }

  /**
   * Commits and answers a batch; false when a lock was not to be had in time, and nothing was kept. A batch that fails
   * otherwise is committed request by request, so that one bad request does not fail its neighbours.
   */
  async #commit(batch: readonly Waiting[], lock: LockOptions): Promise<boolean> {
    try {
      const { outcomes, changed } = await commitBatch(this.#db, batch, new Date(this.#clock.now()), lock);
      if (changed.length > 0) this.#onCommitted(changed);
      for (const [i, w] of batch.entries()) this.#answer(w, outcomes[i] as Attempt);
      return true;
    } catch (error) {
      if (isLockTimeout(error)) return false;
      if (batch.length === 1 || isDatabaseAway(error)) for (const w of batch) this.#end(() => w.failed(error));
      else for (const w of batch) if (!(await this.#commit([w], lock))) this.#setApart([w]);
      return true;
    }
  }

  #answer(w: Waiting, outcome: Attempt): void {
    if (outcome.is === 'locked') this.#setApart([w]);
    else this.#end(() => w.done(outcome));
  }

  #end(answer: () => void): void {
    this.#count--;
    answer();
  }
}
