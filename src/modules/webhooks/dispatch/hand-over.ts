import { monotonicNow } from '../../../lib/clock.ts';
import type { WorkQueue } from '../../../platform/nats/work-queue.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import { waiting } from '../engine/attempt.ts';
import type { SendSigned } from '../engine/sign-anew.ts';
import { readOutcomes } from '../engine/thread-messages.ts';
import type { AttemptOutcome, EngineEndpoint, Ticket } from '../engine/types.ts';
import { type Question, type Wanted, writeHanded, writeSaying } from './messages.ts';
import type { Peers } from './peers.ts';

/** Attempts per message: one that is lost takes this many with it. */
const BATCH = 32;
/**
 * A batch that nobody says a word about for so long is taken back: longer than the queue takes to give it to another. One that
 * nobody has taken is taken back sooner, but not before whoever gets it late asks first (OLD_MS in take-on.ts). Milliseconds.
 */
const SILENT_MS = 10_000;
const UNTAKEN_MS = 4000;
/** A batch that was given out so often, and whose workers did not live to tell of it, is not given out again. */
const MOST_TIMES = 3;

export interface HandOverDeps {
  queue: Pick<WorkQueue, 'isUp' | 'put' | 'tell'>;
  nodeId: string;
  peers: Pick<Peers, 'count'>;
  /** Makes an attempt in this process. */
  here: SendSigned;
  now: () => number;
}

interface Entry {
  id: number;
  ticket: Ticket;
  endpoint: EngineEndpoint;
  secrets: readonly SigningSecret[];
  done: (outcome: AttemptOutcome) => void;
  failed: (error: Error) => void;
}

interface Batch {
  id: number;
  /** Without an outcome. */
  open: Map<number, Entry>;
  /** Deliveries whose outcomes have no row yet. */
  unwritten: Set<string>;
  /** Who has it, as far as it was heard. */
  worker: string | null;
  /** When something was last heard of it, or it was handed over. On the monotonic clock, milliseconds. */
  heardAt: number;
  times: number;
}

/** The side of the one who decides and writes: hands attempts to other workers and waits for their outcomes (docs/adr/0036). */
export class HandOver {
  readonly #deps: HandOverDeps;
  readonly #batches = new Map<number, Batch>();
  /** By attempt. */
  readonly #batchOf = new Map<number, Batch>();
  /** By delivery whose outcome came and has no row yet. */
  readonly #unwritten = new Map<string, Batch>();
  #gathered: Entry[] = [];
  #nextId = 0;
  #nextBatch = 0;
  #here = 0;
  #isEnding = false;
  /** Since the start: attempts handed over, and those of them that were taken back. */
  handed = 0;
  takenBack = 0;

  constructor(deps: HandOverDeps) {
    this.#deps = deps;
  }

  /** Attempts under way with others. */
  get away(): number {
    return this.#batchOf.size;
  }

  /** Makes the attempt here or elsewhere, so that each worker has its share of what is under way. */
  readonly send: SendSigned = (ticket, endpoint, secrets) => {
    const { queue, peers } = this.#deps;
    const isShare = this.#here * (peers.count + 1) <= this.#here + this.#batchOf.size + this.#gathered.length;
    if (peers.count === 0 || !queue.isUp || this.#isEnding || isShare) return this.#sendHere(ticket, endpoint, secrets);
    return new Promise((done, failed) => {
      if (this.#gathered.length === 0) setImmediate(() => this.#handOver());
      this.#gathered.push({ id: this.#nextId++, ticket, endpoint, secrets, done, failed });
    });
  };

  #sendHere(...attempt: Parameters<SendSigned>): Promise<AttemptOutcome> {
    this.#here++;
    return this.#deps.here(...attempt).finally(() => this.#here--);
  }

  /** What was gathered in one turn of the event loop, in messages for all the others to have some. */
  #handOver(): void {
    const entries = this.#gathered;
    this.#gathered = [];
    const size = Math.min(BATCH, Math.max(1, Math.ceil(entries.length / this.#deps.peers.count)));
    for (let i = 0; i < entries.length; i += size) this.#put(entries.slice(i, i + size));
  }

  #put(entries: readonly Entry[]): void {
    const batch: Batch = {
      id: this.#nextBatch++,
      open: new Map(entries.map((entry) => [entry.id, entry])),
      unwritten: new Set(),
      worker: null,
      heardAt: monotonicNow(),
      times: 0,
    };
    this.#batches.set(batch.id, batch);
    for (const { id } of entries) this.#batchOf.set(id, batch);
    this.handed += entries.length;
    const attempts = entries.map(({ id, ticket, endpoint }) => ({ id, ticket, version: endpoint.version }));
    const data = writeHanded(this.#deps.nodeId, batch.id, attempts);
    this.#deps.queue.put(data).catch(() => this.#takeBack(batch));
  }

  /** From now on a worker that asks for it hears that nothing of it is wanted. */
  #takeBack(batch: Batch): void {
    for (const entry of batch.open.values()) {
      this.takenBack++;
      this.#close(batch, entry.id);
      this.#sendHere(entry.ticket, entry.endpoint, entry.secrets).then(entry.done, entry.failed);
    }
    this.#endIfWritten(batch);
  }

  #close(batch: Batch, id: number): void {
    batch.open.delete(id);
    this.#batchOf.delete(id);
  }

  /** What a worker wants to know or brings. */
  answer(question: Question): Wanted {
    if (question.kind === 'outcomes') {
      this.#take(question);
      return [];
    }
    return question.batches.map((id, i) => this.#wanted(id, question.times[i] ?? 1, question.worker));
  }

  #wanted(id: number, times: number, worker: string): number[] | null {
    const batch = this.#batches.get(id);
    if (!batch) return null;
    batch.heardAt = monotonicNow();
    batch.worker = worker;
    batch.times = Math.max(batch.times, times);
    if (batch.times >= MOST_TIMES) this.#giveUp(batch);
    return [...batch.open.keys()];
  }

  #giveUp(batch: Batch): void {
    for (const entry of batch.open.values()) {
      this.#close(batch, entry.id);
      entry.failed(new Error(`${batch.times - 1} workers took the attempt on and did not live to tell of it`));
    }
    this.#endIfWritten(batch);
  }

  #take({ worker, outcomes, back }: Question & { kind: 'outcomes' }): void {
    const batches = new Set<Batch>();
    const close = (id: number): Entry | undefined => {
      const batch = this.#batchOf.get(id);
      const entry = batch?.open.get(id);
      if (!batch || !entry) return undefined;
      batch.worker = worker;
      batch.heardAt = monotonicNow();
      batches.add(batch);
      this.#close(batch, id);
      return entry;
    };
    const attemptOf = (id: number): number => this.#batchOf.get(id)?.open.get(id)?.ticket.attempt ?? 0;
    readOutcomes(outcomes, attemptOf, (id, outcome) => {
      const batch = this.#batchOf.get(id);
      const entry = close(id);
      if (!batch || !entry) return;
      if (outcome instanceof Error) entry.failed(outcome);
      else {
        batch.unwritten.add(entry.ticket.deliveryId);
        this.#unwritten.set(entry.ticket.deliveryId, batch);
        entry.done(outcome);
      }
    });
    for (const id of back) {
      const entry = close(id);
      // Due again at once, and then seen anew: its endpoint may be deleted.
      if (entry) entry.done(waiting('PENDING', entry.ticket.attempt - 1, this.#deps.now(), null));
    }
    for (const batch of batches) this.#endIfWritten(batch);
  }

  /** The outcome of this delivery has its row, or is not to have one. */
  written(deliveryIds: readonly string[]): void {
    if (this.#unwritten.size === 0) return;
    for (const id of deliveryIds) {
      const batch = this.#unwritten.get(id);
      if (!batch) continue;
      this.#unwritten.delete(id);
      batch.unwritten.delete(id);
      this.#endIfWritten(batch);
    }
    this.#tellWritten();
  }

  readonly #ended = new Map<string, number[]>();

  #endIfWritten(batch: Batch): void {
    if (batch.open.size > 0 || batch.unwritten.size > 0 || !this.#batches.delete(batch.id)) return;
    if (batch.worker === null) return;
    const ended = this.#ended.get(batch.worker) ?? [];
    this.#ended.set(batch.worker, ended);
    ended.push(batch.id);
  }

  #tellWritten(): void {
    const { queue, nodeId } = this.#deps;
    for (const [worker, batches] of this.#ended)
      queue.tell(worker, writeSaying({ kind: 'written', from: nodeId, batches }));
    this.#ended.clear();
  }

  /** Takes back what nobody says a word about; once a second. */
  sweep(): void {
    const now = monotonicNow();
    for (const batch of this.#batches.values()) {
      const patience = batch.worker === null ? UNTAKEN_MS : SILENT_MS;
      if (batch.open.size === 0 || now - batch.heardAt < patience) continue;
      if (batch.times > 1) this.#giveUp(batch);
      else this.#takeBack(batch);
    }
    this.#tellWritten();
  }

  /** From now on no attempt is handed over. */
  end(): void {
    this.#isEnding = true;
  }

  /** What is still with others is due again: whether it arrived is not known. */
  abandon(): void {
    for (const batch of this.#batches.values()) {
      for (const { id, ticket, done } of batch.open.values()) {
        this.#close(batch, id);
        done(waiting('PENDING', ticket.attempt - 1, this.#deps.now(), 'SHUTDOWN'));
      }
    }
  }
}
