import { AppError } from '../../../contracts/errors.ts';
import { monotonicNow } from '../../../lib/clock.ts';
import type { Log } from '../../log/log.ts';
import { type RunningLoop, runLoop } from '../../loop/loop.ts';
import type { Db } from '../types.ts';
import { type Checked, checkAgainst } from './check.ts';
import { type Identity, isOther, type Position, positionOf, readIdentity } from './position.ts';
import { NotRead, type Reason, REASONS, reasonOf } from './reason.ts';
import type { Reads } from './reads.ts';
import { openReplicaPool, type ReplicaPool, type ReplicaPoolOptions } from './replica-pool.ts';
import { Waiting } from './waiting.ts';

/** The primary's answer where its log ends, and the replica's how far it is, take no longer. Milliseconds. */
const ANSWER_MS = 1000;
/** Between two probes. Milliseconds. */
const PROBE_MS = 500;
/** Between two looks at a replica that is a little late, to begin with and at most. Milliseconds. */
const FIRST_LOOK_MS = 1;
const LOOK_MS = 8;

export interface ReplicaStatus {
  /** Why the primary reads at present; null: the replica does. */
  reason: Reason | null;
  /** When it last told, see Checked; null: it is not known. */
  lagBytes: number | null;
  lagMs: number | null;
}

export interface ReplicaOptions {
  primary: Db;
  /** Of the primary. */
  identity: Identity;
  at: Omit<ReplicaPoolOptions, 'tellFull'>;
  /** How long a read waits for a replica that is late. Milliseconds. */
  waitMs: number;
  log: Log;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Reads from a replica while it shows all that the primary would (docs/adr/0035-read-replica.md). */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #position: () => Promise<Position>;
  readonly #waiting = new Waiting();
  #opening: Promise<ReplicaPool> | undefined;
  #reason: Reason | null = 'starting';
  #last: Checked | null = null;
  /** When a connection was last found ready, and when that was last looked after. */
  #foundAt = Number.NEGATIVE_INFINITY;
  #probedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #probing: RunningLoop | undefined;
  /** Reads by the replica, and by the primary instead. */
  used = 0;
  readonly fallbacks = new Map<Reason, number>(REASONS.map((reason) => [reason, 0]));

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#position = positionOf(options.primary);
  }

  get status(): ReplicaStatus {
    const { behind = null, lagMs = null } = this.#last ?? {};
    return { reason: this.#reason, lagBytes: behind, lagMs };
  }

  readonly read: Reads = async (read) => {
    let reason = this.#reason;
    if (reason === null) {
      try {
        const value = await this.#readThere(read);
        this.used++;
        return value;
      } catch (error) {
        if (error instanceof AppError) {
          this.used++;
          throw error;
        }
        reason = this.#blame(error);
      }
    }
    this.fallbacks.set(reason, (this.fallbacks.get(reason) ?? 0) + 1);
    return read(this.#options.primary);
  };

  /** Throws when what answers is no copy of the primary; one that does not answer within a second may be one. */
  async refuseForeign(): Promise<void> {
    const { system, database } = this.#options.identity;
    const look = this.#open().then((pool) => pool.on(readIdentity));
    const told = await this.#waiting.for(look, ANSWER_MS, new NotRead('away')).catch(() => undefined);
    if (told && isOther(told, this.#options.identity)) {
      throw new Error(
        `READ_DATABASE_URL is no replica of the database of DATABASE_URL: it leads to ${told.database} of the system ${told.system}, not to ${database} of ${system}`,
      );
    }
  }

  /** One look whether the replica can be used, unless a read has found since the last one that it can. */
  async probe(): Promise<void> {
    const since = this.#probedAt;
    this.#probedAt = monotonicNow();
    if (this.#closed || (this.#reason === null && this.#foundAt >= since)) return;
    try {
      const look = (async () => {
        const pool = await this.#open();
        const position = await this.#askPrimary();
        await pool.on((db) => this.#catchUp(db, position));
      })();
      await this.#waiting.for(look, this.#answerMs, new NotRead('away'));
      this.#use();
    } catch (error) {
      this.#blame(error);
    }
  }

  /** Probes from now on, until it is closed. The tables of the primary must be there. */
  watch(): void {
    const step = async (): Promise<boolean> => (await this.probe(), false);
    this.#probing ??= runLoop({ name: 'replica', everyMs: PROBE_MS, step }, this.#options.log);
  }

  /** Does not wait for a replica that hangs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#reason = 'away';
    this.#waiting.giveUp(new NotRead('away'));
    await this.#probing?.stop();
    const closing = this.#opening?.then((pool) => pool.close());
    await this.#waiting.for(closing ?? Promise.resolve(), ANSWER_MS, new NotRead('away')).catch(() => undefined);
  }

  get #answerMs(): number {
    return ANSWER_MS + this.#options.waitMs;
  }

  #open(): Promise<ReplicaPool> {
    return (this.#opening ??= this.#openNow().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    }));
  }

  async #openNow(): Promise<ReplicaPool> {
    const { at, log } = this.#options;
    const tellFull = (reason: string, open: number): void =>
      log.warn(
        { reason, open, DATABASE_POOL: at.size },
        'the replica gives fewer connections than DATABASE_POOL: a read that gets none within a second is done by the primary. Raise the limit that the reason names, or lower DATABASE_POOL',
      );
    const pool = await openReplicaPool({ ...at, tellFull });
    const { unset: sql } = pool;
    if (sql.length > 0) log.warn({ sql }, 'behind a pooler the role of the replica needs settings: run this SQL once');
    return pool;
  }

  /** Who does not get it reads from the primary, which then tells what is wrong with it. */
  async #askPrimary(): Promise<Position> {
    const asked = this.#position().catch(() => Promise.reject(new NotRead('primary')));
    return this.#waiting.for(asked, ANSWER_MS, new NotRead('primary'));
  }

  async #readThere<T>(read: (db: Db) => Promise<T>): Promise<T> {
    const pool = await this.#open();
    const position = await this.#askPrimary();
    const { promise: checked, resolve } = Promise.withResolvers<void>();
    let isWanted = true;
    const reading = pool.on(async (db) => {
      await this.#catchUp(db, position);
      if (!isWanted) throw new NotRead('away');
      resolve();
      return read(db);
    });
    try {
      await this.#waiting.for(Promise.race([checked, reading]), this.#answerMs, new NotRead('away'));
      return await this.#waiting.for(reading);
    } finally {
      isWanted = false;
    }
  }

  /** Resolves when this connection shows all up to the position; throws NotRead. */
  async #catchUp(db: Db, position: Position): Promise<void> {
    const { identity, waitMs } = this.#options;
    const startedAt = monotonicNow();
    for (let ms = FIRST_LOOK_MS; ; ms = Math.min(2 * ms, LOOK_MS)) {
      const checked = await checkAgainst(db, { identity, position, askAgain: () => this.#askPrimary() });
      this.#last = checked;
      if (checked.verdict === 'ready') break;
      const canCome = checked.verdict === 'late' && checked.behind !== null;
      if (!canCome || monotonicNow() + ms - startedAt > waitMs)
        throw new NotRead(checked.verdict === 'ahead' ? 'foreign' : checked.verdict);
      await pause(ms);
    }
    this.#foundAt = monotonicNow();
  }

  /** Why a read or a probe failed, with what follows from it for those who come. */
  #blame(error: unknown): Reason {
    const why = reasonOf(error);
    // What a replica that is not used answers to a probe is no fault of a read.
    const reason = why === 'error' && this.#reason !== null ? 'away' : why;
    if (reason === 'error') {
      this.#options.log.warn({ err: error }, 'a read failed on the replica, and is done by the primary');
    } else if (reason !== 'conflict' && reason !== 'primary') this.#giveUp(reason, error);
    return reason;
  }

  #giveUp(reason: Reason, error: unknown): void {
    if (this.#reason === reason) return;
    const said = error instanceof NotRead || !(error instanceof Error) ? { reason } : { reason, why: error.message };
    if (!this.#closed) this.#options.log.warn(said, 'the replica is not used: the primary reads');
    this.#reason = reason;
    if (reason === 'away') this.#last = null;
    // What has begun on a replica that was not late is right.
    if (reason !== 'late') this.#waiting.giveUp(new NotRead(reason));
  }

  #use(): void {
    if (this.#closed || this.#reason === null) return;
    this.#options.log.info('the replica is used');
    this.#reason = null;
  }
}
