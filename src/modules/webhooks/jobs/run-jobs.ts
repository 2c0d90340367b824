import type { Clock } from '../../../lib/clock.ts';
import { timeOfUuidv7, uuidv7 } from '../../../lib/ids.ts';
import {
  afterCommit,
  type Db,
  type Env,
  inTransaction,
  isCutShort,
  isDatabaseAway,
  isRetryable,
  type Trx,
} from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { eventsAsked } from '../deliveries/events-asked.ts';
import { BY_REQUEST, discardDeliveries, type Ending, REPLAYED } from '../deliveries/ending-store.ts';
import { searchOf } from '../deliveries/list-deliveries.ts';
import { isEndedByReplay, replayRow } from '../deliveries/replay-delivery.ts';
import { type Found, LOWEST } from '../deliveries/search-store.ts';
import { insertDue } from '../deliveries/store.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';
import { accountsOf, nextOf } from './create-job.ts';
import { DEFAULT_RATE } from './schemas.ts';
import { leftOfTotal, skipping } from './skipping.ts';
import {
  countWith,
  type Item,
  type JobRow,
  noteFailure,
  saveProgress,
  selectDueJobs,
  selectItems,
  skipsAlone,
  takeJob,
} from './store.ts';

/** Portions of jobs that are looked for at once. */
const AT_ONCE = 10;
/** Rows that a discard ends in one transaction: no row is locked for longer than some tens of milliseconds. */
const DISCARD_ROWS = 500;
/** A replay makes what its rate allows in this time, and then waits as long. Milliseconds. */
const REPLAY_EVERY_MS = 1000;
/** A portion that fails so often in a row, over two minutes, would fail for ever. */
const MOST_FAILURES = 8;
/** What is kept of an error, for operators. UTF-16 units. */
const ERROR_MAX = 2000;

export interface JobRunnerDeps {
  db: Db;
  clock: Clock;
  log: Log;
  newId: () => string;
  /** How long deliveries are kept where an account has nothing of its own; 0: for ever. Days. */
  retentionDays: number;
  /** Deliveries became due. */
  wakeClaims: () => void;
}

/** What became of the deliveries of a portion. */
interface Effect {
  done: number;
  skipped: Record<string, number>;
}

const textOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).replaceAll('\0', '').slice(0, ERROR_MAX);

/** Not the job's fault: everything is tried again. What took too long is: it would at every other try. */
const isPassing = (error: unknown): boolean => !isCutShort(error) && (isDatabaseAway(error) || isRetryable(error));

/**
 * Does jobs in portions: what a portion does and the cursor behind it are one transaction, under a lock of the job. So it
 * may be killed anywhere and go on anywhere: nothing is left out, and nothing done twice (docs/adr/0023).
 */
export class JobRunner {
  readonly #deps: JobRunnerDeps;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  /** A portion of each job that has one to do; true when more may be waiting. Throws when the database is away. */
  async step(): Promise<boolean> {
    const { db, clock, log } = this.#deps;
    const due = await selectDueJobs(db, new Date(clock.now()), AT_ONCE);
    let worked = false;
    for (const id of due) {
      try {
        if (await inTransaction(db, (trx) => this.#portion(trx, id))) worked = true;
      } catch (error) {
        if (isPassing(error)) throw error;
        log.error({ err: error, jobId: id }, 'a portion of a job on deliveries failed');
        const failure = { error: textOf(error), now: new Date(clock.now()), most: MOST_FAILURES };
        await noteFailure(db, id, failure);
      }
    }
    return worked;
  }

  /** False: another node is at it, or at another that must see what it makes, or some deliveries are out of sight, which would be left out. */
  async #portion(trx: Trx, id: string): Promise<boolean> {
    const now = new Date(this.#deps.clock.now());
    const job = await takeJob(trx, id, now);
    if (!job) return false;
    // It comes again, as for a job that another node is at: no connection waits.
    if (job.skip_replayed && !(await skipsAlone(trx))) return false;
    // Before anything is read: what was moved in between would be missed.
    if (await areSomeHidden(trx)) return false;
    const limit = job.kind === 'DISCARD' ? DISCARD_ROWS : (job.rate_per_second ?? DEFAULT_RATE);
    const { ids, next } = await this.#next(trx, job, limit);
    const items = await selectItems(trx, ids, this.#deps.retentionDays);
    const effect =
      job.kind === 'REPLAY' ? await this.#replay(trx, job, items, now) : await discard(trx, job, items, now);
    await saveProgress(trx, advanced(job, effect, { next, now }));
    return true;
  }

  /** The next deliveries that fit, of those that were made before the job. */
  async #next(trx: Trx, job: JobRow, limit: number): Promise<Found> {
    const { eventId, tradeSessionId, ...filter } = job.filter;
    const accounts = accountsOf(job.account_id);
    const whole = searchOf(filter, accounts);
    const cursor = job.cursor ?? LOWEST;
    const search = {
      ...whole,
      after: cursor > whole.after ? cursor : whole.after,
      before: job.id < whole.before ? job.id : whole.before,
    };
    const events = await eventsAsked(trx, { eventId, tradeSessionId, accounts }, 'first');
    return nextOf(trx, search, events, limit);
  }

  /** A new id above that of the job, also on a node whose clock is behind: what the job makes is never of its set. */
  #idAbove(job: JobRow): string {
    const id = this.#deps.newId();
    return id > job.id ? id : uuidv7(timeOfUuidv7(job.id) + 1);
  }

  async #replay(trx: Trx, job: JobRow, items: readonly Item[], now: Date): Promise<Effect> {
    const skipped: Record<string, number> = {};
    const skip = (reason: string, count: number): void => {
      if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
    };
    const reasonFor = skipping(job);
    // Those that are left have the status of the job.
    let chosen = items.filter((item) => {
      const reason = reasonFor(item);
      if (reason !== null) skip(reason, 1);
      return reason === null;
    });
    const { status } = job.filter;
    if (isEndedByReplay(status)) {
      const ending = { errorClass: REPLAYED, reason: null, now } as const;
      const ids = chosen.map(({ id }) => id);
      const { ended, changed, underWay } = await end(trx, ids, status, ending);
      chosen = chosen.filter(({ id }) => ended.has(id));
      skip('CHANGED', changed);
      skip('UNDER_WAY', underWay);
    }
    // Spread over the time until the next portion.
    const every = REPLAY_EVERY_MS / (job.rate_per_second ?? DEFAULT_RATE);
    const rows = chosen.map((item, i) => {
      const env: Env = { now, newId: () => this.#idAbove(job), requestId: job.request_id };
      return { ...replayRow(item, env), next_attempt_at: new Date(now.getTime() + Math.floor(i * every)) };
    });
    await insertDue(trx, ...rows);
    if (rows.length > 0) afterCommit(trx, () => this.#deps.wakeClaims());
    return { done: rows.length, skipped };
  }
}

interface Ended {
  ended: Set<string>;
  /** How many have another status by now, and how many are being sent at this moment. */
  changed: number;
  underWay: number;
}

/** Ends those of them that still have this status and no other: what was held a moment ago may have been resumed since. */
async function end(trx: Trx, ids: readonly string[], status: DeliveryStatus, ending: Ending): Promise<Ended> {
  const ended = ids.length === 0 ? new Set<string>() : await discardDeliveries(trx, ids, [status], ending);
  const left = ids.filter((id) => !ended.has(id));
  const underWay = left.length === 0 ? 0 : await countWith(trx, left, status);
  return { ended, changed: left.length - underWay, underWay };
}

async function discard(trx: Trx, job: JobRow, items: readonly Item[], now: Date): Promise<Effect> {
  const { status } = job.filter;
  const ids = items.flatMap((item) => (item.status === status ? [item.id] : []));
  const { ended, underWay } = await end(trx, ids, status, { errorClass: BY_REQUEST, reason: job.reason, now });
  const changed = items.length - ended.size - underWay;
  const skipped = { ...(changed > 0 && { CHANGED: changed }), ...(underWay > 0 && { UNDER_WAY: underWay }) };
  return { done: ended.size, skipped };
}

/** The job after a portion. */
function advanced(job: JobRow, effect: Effect, { next, now }: { next: string | null; now: Date }): JobRow {
  const skipped = { ...job.skipped };
  for (const [reason, count] of Object.entries(effect.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count;
  const done = job.done + effect.done;
  // Where nothing was made, nobody has to be spared.
  const wait = job.kind === 'REPLAY' && effect.done > 0 ? REPLAY_EVERY_MS : 0;
  const going: JobRow = {
    ...job,
    done,
    skipped,
    cursor: next ?? job.cursor,
    started_at: job.started_at ?? now,
    next_at: new Date(now.getTime() + wait),
  };
  const handled = done + leftOfTotal(going);
  // Of one that was not counted to the end there are more than was thought.
  if (next !== null) return { ...going, total: Math.max(job.total, handled) };
  return { ...going, state: 'COMPLETED', ended_at: now, total: handled, total_is_exact: true };
}
