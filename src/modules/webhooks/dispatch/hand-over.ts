import { monotonicNow } from '../../../lib/clock.ts';
import { NotTaken, type WorkQueue } from '../../../platform/nats/work-queue.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import { waiting } from '../engine/attempt.ts';
import type { SendSigned } from '../engine/sign-anew.ts';
import { readOutcomes } from '../engine/thread-messages.ts';
import type { AttemptOutcome, EngineEndpoint, Ticket } from '../engine/types.ts';
import { type Question, type Wanted, writeHanded, writeSaying } from './messages.ts';
import { GONE_MS, type Peers } from './peers.ts';

/** Attempts per message: one that is lost takes this many with it. */
const BATCH = 32;
/**
 * A batch that nobody says a word about for so long is taken back. Whoever has taken one says so within 2.5 s (take-on.ts); a worker
 * that was silent for `LOST_MS` has lost it to the next one that asks. Milliseconds.
 */
const UNTAKEN_MS = 5000;
const SILENT_MS = 10_000;
const LOST_MS = GONE_MS;
const LATE_MS = 1000;
/**
 * A batch that so many workers spoke of and did not live to tell of is a fault of ours, and no further one gets it. One that is there when
 * the batch is asked for only stood still, and does not count; but so many that fell silent are one as well, whatever became of them.
 */
const MOST_LOST = 2;
const MOST_SILENT = 5;
/** After the queue, or the workers, did not take something, nothing is handed over for so long. Milliseconds. */
const REST_MS = 5000;
/** A process that had no room so long ago has none: as often do workers tell of themselves. Milliseconds. */
const NO_ROOM_MS = 1000;

/** What the side of the holder needs. */
export interface HandOverDeps {
  queue: Pick<WorkQueue, 'isUp' | 'maxBytes' | 'put' | 'tell'>;
  nodeId: string;
  peers: Pick<Peers, 'count' | 'isThere'>;
  /** Makes an attempt in this process. */
  here: SendSigned;
  /** Whether more attempts for an endpoint are better made by others, beside so many that are under way here. */
  isFull: (endpointId: string, here: number) => boolean;
  /** Attempts that this process makes at once, and those that the workers make to which it hands what it has no room for. */
  slots: number;
  othersSlots: () => number;
  /** Whether this process still decides about it. */
  stands: (ticket: Ticket) => boolean;
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
  /** Workers that had it and fell silent, one after the other. */
  silent: string[];
  /** This process itself did not want to make it: that nobody has it says nothing of the queue and of the workers. */
  wasRefused: boolean;
}

/** The side of the one who decides and writes: hands attempts to other workers and waits for their outcomes (docs/adr/0036). */
export class HandOver {
  readonly #deps: HandOverDeps;
  readonly #batches = new Map<number, Batch>();
  /** By attempt. */
  readonly #batchOf = new Map<number, Batch>();
  /** By delivery whose outcome came and has no row yet. */
  readonly #unwritten = new Map<string, Batch>();
  /** Batches that are done, by the worker that is to hear of it. */
  readonly #done = new Map<string, number[]>();
  #gathered: Entry[] = [];
  #nextId = 0;
  #nextBatch = 0;
  #here = 0;
  #restUntil = Number.NEGATIVE_INFINITY;
  #isEnding = false;
  /** When an attempt found no room here. On the monotonic clock, milliseconds. */
  #fullAt = Number.NEGATIVE_INFINITY;
  /** Since the start: attempts handed over, and those of them that were taken back. */
  handed = 0;
  takenBack = 0;

  readonly #ended = (outcome: AttemptOutcome): AttemptOutcome => {
    this.#here--;
    return outcome;
  };
  readonly #failed = (error: unknown): never => {
    this.#here--;
    throw error;
  };

  constructor(deps: HandOverDeps) {
    this.#deps = deps;
  }

  /** Attempts under way with others. */
  get away(): number {
    return this.#batchOf.size;
  }

  /** Attempts under way here by this process's own decision. */
  get here(): number {
    return this.#here;
  }

  /** Whether it has more attempts of its own than it has room for. */
  get isFull(): boolean {
    return monotonicNow() - this.#fullAt <= NO_ROOM_MS;
  }

  /** Whether anything can be handed over now. */
  get canHand(): boolean {
    const { queue, peers } = this.#deps;
    return peers.count > 0 && queue.isUp && !this.#isEnding && monotonicNow() >= this.#restUntil;
  }

  /**
   * Makes the attempt here while there is room, and else so that each worker that has room has its share of what is under way. What failed by a fault of ours before goes to
   * another where there is one: should it end its process again, it is not the one that has to tell of it.
   */
  readonly send: SendSigned = (ticket, endpoint, secrets) => {
    const isMine = ticket.faults === 0 && (this.#hasRoom(endpoint.id) || this.#hasLess());
    if (isMine || !this.canHand) return this.#sendHere(ticket, endpoint, secrets);
    return new Promise((done, failed) => {
      if (this.#gathered.length === 0) setImmediate(() => this.#handOver());
      this.#gathered.push({ id: this.#nextId++, ticket, endpoint, secrets, done, failed });
    });
  };

  #hasRoom(endpointId: string): boolean {
    if (!this.#deps.isFull(endpointId, this.#here)) return true;
    this.#fullAt = monotonicNow();
    return false;
  }

  /** No more than its share of what it decides about is under way here, by what each makes at once; where nobody has room, as many as it has slots. */
  #hasLess(): boolean {
    const { slots, othersSlots } = this.#deps;
    const all = this.#here + this.#batchOf.size + this.#gathered.length;
    return this.#here < slots && this.#here * (slots + othersSlots()) <= all * slots;
  }

  #sendHere(...attempt: Parameters<SendSigned>): Promise<AttemptOutcome> {
    this.#here++;
    return this.#deps.here(...attempt).then(this.#ended, this.#failed);
  }

  #makeHere({ ticket, endpoint, secrets, done, failed }: Entry): void {
    this.#sendHere(ticket, endpoint, secrets).then(done, failed);
  }

  /**
   * What was gathered in one turn of the event loop, in messages for all the others to have some. What failed by a fault of ours
   * before goes in a message of its own: should it end its worker again, none of the others counts as what did it.
   */
  #handOver(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    const entries = gathered.filter(({ ticket }) => ticket.faults === 0);
    for (const entry of gathered) if (entry.ticket.faults > 0) this.#put([entry]);
    const size = Math.min(BATCH, Math.max(1, Math.ceil(entries.length / Math.max(1, this.#deps.peers.count))));
    for (let i = 0; i < entries.length; i += size) this.#put(entries.slice(i, i + size));
  }

  #put(entries: readonly Entry[]): void {
    const { queue, nodeId } = this.#deps;
    const attempts = entries.map(({ id, ticket, endpoint }) => ({ id, ticket, version: endpoint.version }));
    const id = this.#nextBatch++;
    const data = writeHanded(nodeId, id, this.#deps.now(), attempts);
    if (data.length > queue.maxBytes) {
      const half = entries.length >> 1;
      if (half === 0) for (const entry of entries) this.#makeHere(entry);
      else for (const some of [entries.slice(0, half), entries.slice(half)]) this.#put(some);
      return;
    }
    const open = new Map(entries.map((entry) => [entry.id, entry]));
    const batch: Batch = {
      id,
      open,
      unwritten: new Set(),
      worker: null,
      heardAt: monotonicNow(),
      silent: [],
      wasRefused: false,
    };
    this.#batches.set(id, batch);
    for (const entry of entries) this.#batchOf.set(entry.id, batch);
    this.handed += entries.length;
    queue.put(data).catch((error: unknown) => {
      this.#restUntil = monotonicNow() + REST_MS;
      // Else it may be there all the same, and a worker may be at it: `sweep` takes it back when nobody is.
      if (error instanceof NotTaken) this.#takeBack(batch);
    });
  }

  /**
   * What is open of it is due again at once, by a row: who decides about it and how its endpoint is may have changed since. A worker
   * that asks for it from now on hears that nothing of it is wanted.
   */
  #takeBack(batch: Batch): void {
    for (const entry of batch.open.values()) {
      this.takenBack++;
      this.#close(batch, entry.id);
      entry.done(this.#putOff(entry, null));
    }
    this.#endIfWritten(batch);
  }

  #putOff({ ticket }: Entry, errorClass: string | null): AttemptOutcome {
    return waiting('PENDING', ticket.attempt - 1, this.#deps.now(), errorClass);
  }

  #close(batch: Batch, id: number): void {
    batch.open.delete(id);
    this.#batchOf.delete(id);
  }

  /**
   * A message of this process's own has come back to it: whatever was to be made is made here. False: another has it, or it may be
   * what ends workers, and there are others that it can go to.
   */
  takeOwn(id: number): boolean {
    const batch = this.#batches.get(id);
    if (!batch) return true;
    if (batch.worker !== null && monotonicNow() - batch.heardAt < LOST_MS) return false;
    const isDoubtful = batch.worker !== null || batch.open.values().some(({ ticket }) => ticket.faults > 0);
    if (isDoubtful && this.#deps.peers.count > 0) {
      batch.wasRefused = true;
      return false;
    }
    for (const entry of batch.open.values()) {
      this.#close(batch, entry.id);
      if (this.#deps.stands(entry.ticket)) this.#makeHere(entry);
      else entry.done(this.#putOff(entry, null));
    }
    this.#endIfWritten(batch);
    return true;
  }

  /** What a worker wants to know or brings. */
  answer(question: Question): Wanted {
    if (question.kind === 'wanted') return question.batches.map((id) => this.#wanted(id, question.worker));
    this.#take(question);
    return [];
  }

  #wanted(id: number, worker: string): number[] | null {
    const batch = this.#batches.get(id);
    if (!batch) return null;
    const now = monotonicNow();
    let isGivenUp = false;
    if (batch.worker !== worker && batch.worker !== null) {
      // Not yet: the one that has it was heard of lately.
      if (now - batch.heardAt < LOST_MS) return [];
      batch.silent.push(batch.worker);
      isGivenUp = this.#endsWorkers(batch);
    }
    // What comes late comes together: those with a rate take their turn anew.
    const isLate = batch.worker === null && now - batch.heardAt > LATE_MS;
    batch.worker = worker;
    batch.heardAt = now;
    for (const entry of batch.open.values()) {
      const isBunched = isLate && entry.endpoint.ratePerSecond !== null;
      if (this.#deps.stands(entry.ticket) && !isBunched) continue;
      this.#close(batch, entry.id);
      entry.done(this.#putOff(entry, null));
    }
    if (isGivenUp) this.#giveUp(batch);
    return [...batch.open.keys()];
  }

  #endsWorkers({ silent }: Batch): boolean {
    const ended = new Set(silent.filter((worker) => !this.#deps.peers.isThere(worker)));
    return ended.size >= MOST_LOST || silent.length >= MOST_SILENT;
  }

  #giveUp(batch: Batch): void {
    for (const entry of batch.open.values()) {
      this.#close(batch, entry.id);
      entry.failed(new Error(`${batch.silent.length} workers took the attempt on and fell silent`));
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
      // Seen anew when it is claimed: its endpoint may be deleted.
      if (entry) entry.done(this.#putOff(entry, null));
    }
    for (const batch of batches) this.#endIfWritten(batch);
  }

  /** The outcomes of these deliveries have their rows, or are not to have any. */
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

  #endIfWritten(batch: Batch): void {
    if (batch.open.size > 0 || batch.unwritten.size > 0 || !this.#batches.delete(batch.id)) return;
    if (batch.worker === null) return;
    const ended = this.#done.get(batch.worker) ?? [];
    this.#done.set(batch.worker, ended);
    ended.push(batch.id);
  }

  #tellWritten(): void {
    const { queue, nodeId } = this.#deps;
    for (const [worker, batches] of this.#done)
      queue.tell(worker, writeSaying({ kind: 'written', from: nodeId, batches }));
    this.#done.clear();
  }

  /** Takes back what nobody says a word about; once a second. */
  sweep(): void {
    const now = monotonicNow();
    for (const batch of this.#batches.values()) {
      const patience = batch.worker === null ? UNTAKEN_MS : SILENT_MS;
      if (batch.open.size === 0 || now - batch.heardAt < patience) continue;
      if (batch.worker === null && !batch.wasRefused) this.#restUntil = now + REST_MS;
      this.#takeBack(batch);
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
      for (const entry of batch.open.values()) {
        this.#close(batch, entry.id);
        entry.done(this.#putOff(entry, 'SHUTDOWN'));
      }
    }
  }
}
