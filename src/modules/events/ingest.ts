import { AppError } from '../../contracts/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Db, inTransaction, isDatabaseAway } from '../../platform/db/index.ts';
import { claimReplies, type IdempotencyClaim, type Reply } from '../../platform/http/index.ts';
import { insertEvents } from './store.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

/** Events per statement: larger ones gain nothing and hold up those behind (measured: 100–500 is the knee). */
const BATCH_EVENTS = 1000;

interface Waiting {
  events: readonly NewEvent[];
  keyed: { claim: IdempotencyClaim; reply: Reply } | undefined;
  done(outcome: IngestOutcome): void;
  failed(error: unknown): void;
}

/** `duplicate`: another node committed a request with the same Idempotency-Key first; nothing of this one was kept. */
export type IngestOutcome = 'committed' | 'duplicate';

export interface IngestOptions {
  db: Db;
  clock: Clock;
  /** Most events waiting for their commit. */
  maxWaiting: number;
  onCommitted(events: readonly LoggedEvent[]): void;
}

/**
 * Group commit: requests that arrive while a commit is under way share the next one. A batch leaves at once (a fixed
 * timer cost a quarter of the throughput, measured); a request is answered only after its commit.
 */
export class Ingest {
  readonly #options: IngestOptions;
  #waiting: Waiting[] = [];
  #count = 0;
  #flushing: Promise<void> | null = null;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#count;
  }

  /** Resolves after the commit. Rejects with UNAVAILABLE when too much is waiting: nothing was taken then. */
  add(events: readonly NewEvent[], keyed?: { claim: IdempotencyClaim; reply: Reply }): Promise<IngestOutcome> {
    if (this.#count + events.length > this.#options.maxWaiting) {
      throw new AppError('UNAVAILABLE', {
        message: 'More events are waiting than may be; slow down.',
        headers: { 'retry-after': '1' },
      });
    }
    this.#count += events.length;
    return new Promise((done, failed) => {
      this.#waiting.push({ events, keyed, done, failed });
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
    while (this.#waiting.length > 0) await this.#flush(this.#nextBatch());
    this.#flushing = null;
  }

  #nextBatch(): Waiting[] {
    let events = 0;
    let n = 0;
    for (; n < this.#waiting.length && (n === 0 || events < BATCH_EVENTS); n++)
      events += (this.#waiting[n] as Waiting).events.length;
    return this.#waiting.splice(0, n);
  }

  async #flush(batch: Waiting[]): Promise<void> {
    const now = new Date(this.#options.clock.now());
    try {
      const { kept, logged } = await this.#commit(batch, now);
      this.#options.onCommitted(logged);
      for (const w of batch) w.done(kept.has(w) ? 'committed' : 'duplicate');
    } catch (error) {
      await this.#isolate(batch, error);
    } finally {
      for (const w of batch) this.#count -= w.events.length;
    }
  }

  /** A batch that fails is committed request by request, so that one bad request does not fail its neighbours. */
  async #isolate(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || isDatabaseAway(error)) {
      for (const w of batch) w.failed(error);
      return;
    }
    for (const w of batch) {
      try {
        const { kept, logged } = await this.#commit([w], new Date(this.#options.clock.now()));
        this.#options.onCommitted(logged);
        w.done(kept.has(w) ? 'committed' : 'duplicate');
      } catch (own) {
        w.failed(own);
      }
    }
  }

  async #commit(batch: readonly Waiting[], now: Date): Promise<{ kept: Set<Waiting>; logged: LoggedEvent[] }> {
    const keyed = batch.filter((w) => w.keyed !== undefined);
    if (keyed.length === 0) {
      const events = batch.flatMap((w) => w.events);
      return { kept: new Set(batch), logged: await insertEvents(this.#options.db, events, now) };
    }
    return inTransaction(this.#options.db, async (trx) => {
      const taken = await claimReplies(
        trx,
        keyed.map((w) => w.keyed as NonNullable<Waiting['keyed']>),
        now,
      );
      const kept = new Set(batch.filter((w) => w.keyed === undefined || taken.has(w.keyed.claim)));
      const events = [...kept].flatMap((w) => w.events);
      return { kept, logged: events.length === 0 ? [] : await insertEvents(trx, events, now) };
    });
  }
}
