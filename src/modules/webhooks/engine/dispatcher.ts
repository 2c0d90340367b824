import { monotonicNow } from '../../../lib/clock.ts';
import { Lane } from './lane.ts';
import type { Signal } from './pace.ts';
import { Slots, type Standing } from './slots.ts';
import type { EngineEndpoint, Ticket } from './types.ts';

/** What would wait longer than this is written as PENDING and claimed later. Milliseconds. */
const MAX_WAIT_MS = 1000;
/** A claimed delivery has its row already, and its lease runs longer than this. Milliseconds. */
const MAX_CLAIMED_WAIT_MS = 20_000;
const SWEEP_MS = 100;
/**
 * Of requests that were begun within the last 20 ms, so many are under way at once. With fewer the two threads wait for each
 * other's messages: at fan-out 10 in batches a delivery took 169 µs of both cores with 128, 149 with 512, 164 with 1,024 and 143
 * without a limit, the last three within their noise (bench/RESULTS.md). Below half of the slots that a worker has by default, so
 * that fast endpoints alone make none scarce. Slow ones soon count no longer, so up to 22,400 a second can be begun however long
 * they take. For each worker that makes them.
 */
const MAX_YOUNG = 448;
const YOUNG_MS = 20;

export interface DispatcherOptions {
  /** Whether this node is the one that sends to this account now. What may not go waits. */
  maySend(accountId: string): boolean;
  /** Since when this node sends to the account, on the monotonic clock; default: since long ago. Milliseconds. */
  sendsSince?(accountId: string): number;
  /** Makes the attempt, records its result, and says how it went. Never rejects. */
  attempt(ticket: Ticket): Promise<Signal>;
  /** Puts a ticket off to later, without an attempt. */
  putOff(ticket: Ticket): void;
  /** Requests under way at most, with all that make them for this process. */
  slots: () => number;
  /** Those that it makes itself. */
  ownSlots: number;
  /** Of these, the most that one endpoint may have, whatever it asks for. */
  maxPerEndpoint?: () => number;
  /** Most tickets waiting, over all endpoints. */
  maxQueued: number;
  /** It was closed until a moment ago, so what waits for it goes little by little. */
  isOpening(endpoint: EngineEndpoint): boolean;
}

/**
 * First attempts waiting, beyond which those to endpoints that have not answered yet do not wait: a crowd that hangs must not
 * stop the reading of events, which it does when twice as many wait (engine.ts).
 */
const MAX_FRESH_WITH_STRANGERS = 1000;
/** So long after a take-over rates begin with an empty bucket: the node before may have used this second's. Milliseconds. */
const STARTING_MS = 1000;
/** Deliveries that are claimed for one endpoint at once, at most: what it cannot send soon is better left where it is. */
const MAX_CLAIMED = 32;
/** Endpoints remembered that answered in good time, some 100 bytes each. */
const MAX_KNOWN = 100_000;

/**
 * Decides when each ticket goes. Endpoints are served in turn, one request each, so that one with a long queue does not
 * delay the others; what cannot go soon leaves memory.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #slots: Slots;
  /** Forgotten ones that answered in good time, those of long ago first. */
  readonly #known = new Set<string>();
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may have something ready, in turn. */
  readonly #ready = new Set<Lane>();
  /** Those that wait until others of their kind need fewer slots, in turn. */
  readonly #blocked: Record<Standing, Set<Lane>> = { TRUSTED: new Set(), STRANGER: new Set(), SUSPECT: new Set() };
  /** Begun lately and not ended, oldest first, with their start. */
  readonly #young = new Map<Ticket, number>();
  #ageing: NodeJS.Timeout | undefined;
  #queued = 0;
  /** Of these, those that were claimed. */
  #claimed = 0;
  #sweep: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#slots = new Slots(options.slots);
  }

  get inFlight(): number {
    return this.#slots.inFlight;
  }
  get queued(): number {
    return this.#queued;
  }
  /** Tickets waiting that have no row yet: within a second they go or are put off. */
  get freshQueued(): number {
    return this.#queued - this.#claimed;
  }
  /**
   * How many deliveries could be claimed. What waits for a full endpoint takes no slot from the others, and half of the
   * memory is kept for what is fresh.
   */
  get room(): number {
    const { maxQueued } = this.#options;
    return Math.max(
      0,
      Math.min(this.#slots.size - this.inFlight, Math.ceil(maxQueued / 2) - this.#claimed, maxQueued - this.#queued),
    );
  }

  /** Ids of endpoints to which this node sends and that have all they can take, until requests of theirs end. */
  busyEndpoints(): string[] {
    const busy: string[] = [];
    for (const [id, lane] of this.#lanes)
      if (this.#isFull(lane) && this.#options.maySend(lane.endpoint.accountId)) busy.push(id);
    return busy;
  }

  /** Whether it has all it can take. */
  isBusy(endpointId: string): boolean {
    const lane = this.#lanes.get(endpointId);
    return lane !== undefined && this.#isFull(lane);
  }

  /** How many deliveries may be claimed for each endpoint with a lane; 0 for a busy one. */
  claimLimits(): Map<string, number> {
    const limits = new Map<string, number>();
    for (const [id, lane] of this.#lanes)
      limits.set(id, this.#isFull(lane) ? 0 : Math.min(MAX_CLAIMED, lane.claimable(this.#slots.isScarce)));
    return limits;
  }

  #isFull(lane: Lane): boolean {
    return lane.isFull(this.#slots.isScarce) || (lane.standing !== 'TRUSTED' && this.#slots.isFullFor(lane.standing));
  }

  #laneOf(endpoint: EngineEndpoint): Lane {
    const { id } = endpoint;
    const since = this.#sendsSince(endpoint.accountId);
    let lane = this.#lanes.get(id);
    if (lane) {
      lane.endpoint = endpoint;
      if (since > lane.usedAt) lane.startAnew();
      lane.usedAt = monotonicNow();
    } else {
      const isKnown = this.#known.delete(id);
      lane = new Lane(endpoint, this.#options.maxPerEndpoint ?? (() => this.#options.ownSlots), {
        isKnown,
        isOpening: this.#options.isOpening(endpoint),
        isStarting: monotonicNow() - since < STARTING_MS,
      });
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  #sendsSince(accountId: string): number {
    return this.#options.sendsSince?.(accountId) ?? Number.NEGATIVE_INFINITY;
  }

  /** It would wait too long, or in the way of others. */
  #isSlow(lane: Lane): boolean {
    if (lane.expectedWaitMs() > MAX_WAIT_MS) return true;
    if (lane.isHanging) return this.#isFull(lane);
    return lane.standing === 'STRANGER' && this.freshQueued >= MAX_FRESH_WITH_STRANGERS;
  }

  submit(ticket: Ticket): void {
    const lane = this.#laneOf(ticket.endpoint);
    const isSlow = ticket.lease === null && this.#isSlow(lane);
    if (isSlow || this.#queued >= this.#options.maxQueued) {
      this.#options.putOff(ticket);
      return;
    }
    ticket.queuedAt = monotonicNow();
    lane.queue.push(ticket);
    this.#count(ticket, 1);
    this.#ready.add(lane);
    this.#sweep ??= setInterval(() => this.#sweepLanes(), SWEEP_MS);
    this.#pump();
  }

  /** Stops taking from the queues: what waits is put off. Resolves when nothing is under way, or after `ms`. */
  async drain(ms: number): Promise<void> {
    clearInterval(this.#sweep);
    clearTimeout(this.#ageing);
    for (const lane of this.#lanes.values()) this.#putOffFront(lane, () => true);
    if (this.inFlight === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((done) => this.#idle.push(done)),
      new Promise<void>((done) => (timer = setTimeout(done, ms))),
    ]);
    clearTimeout(timer);
  }

  /** Forgets what waits for these accounts, to which another node sends from now on; returns it. */
  forgetQueued(isOver: (accountId: string) => boolean): Ticket[] {
    const forgotten: Ticket[] = [];
    for (const lane of this.#lanes.values()) {
      if (!isOver(lane.endpoint.accountId)) continue;
      for (let ticket = lane.queue.shift(); ticket !== undefined; ticket = lane.queue.shift()) {
        this.#count(ticket, -1);
        forgotten.push(ticket);
      }
    }
    return forgotten;
  }

  #pump(): void {
    // A lane that was served goes to the end, where this loop meets it again: under load, when one slot is free at a
    // time, the next one is another endpoint's.
    for (const lane of this.#ready) {
      if (this.inFlight >= this.#slots.size || this.#isBusy()) break;
      this.#ready.delete(lane);
      if (!this.#options.maySend(lane.endpoint.accountId)) continue;
      const { standing } = lane;
      if (this.#slots.isFullFor(standing)) {
        this.#blocked[standing].add(lane);
        continue;
      }
      const ticket = lane.takeReady(this.#slots.isScarce);
      if (ticket === undefined) continue;
      if (lane.queue.size > 0) this.#ready.add(lane);
      this.#go(lane, ticket, standing);
    }
  }

  /** Enough was begun lately; looks again when the oldest of it is not young any more. */
  #isBusy(): boolean {
    const most = MAX_YOUNG * Math.max(1, this.#slots.size / this.#options.ownSlots);
    if (this.#young.size < most) return false;
    if (this.#ageing !== undefined) return true;
    const now = monotonicNow();
    let oldestAt = now;
    for (const [ticket, startedAt] of this.#young) {
      oldestAt = startedAt;
      if (now - startedAt < YOUNG_MS) break;
      this.#young.delete(ticket);
    }
    if (this.#young.size < most) return false;
    this.#ageing = setTimeout(
      () => {
        this.#ageing = undefined;
        this.#pump();
      },
      oldestAt + YOUNG_MS - now,
    );
    return true;
  }

  #count(ticket: Ticket, by: 1 | -1): void {
    this.#queued += by;
    if (ticket.lease) this.#claimed += by;
  }

  #go(lane: Lane, ticket: Ticket, standing: Standing): void {
    this.#count(ticket, -1);
    this.#slots.begin(standing);
    this.#young.set(ticket, monotonicNow());
    void this.#options.attempt(ticket).then((signal) => {
      const before = lane.standing;
      lane.finish(ticket, signal);
      this.#young.delete(ticket);
      this.#slots.end(before, lane);
      this.#unblock();
      if (lane.queue.size > 0) this.#ready.add(lane);
      if (this.#ready.size > 0) this.#pump();
      if (this.inFlight === 0) for (const done of this.#idle.splice(0)) done();
    });
  }

  /** Whoever waited longest is served first, before the lane whose request has just ended. One slot is free, so one lane. */
  #unblock(): void {
    for (const standing of ['STRANGER', 'SUSPECT'] as const) {
      const [first] = this.#slots.isFullFor(standing) ? [] : this.#blocked[standing];
      if (!first) continue;
      this.#blocked[standing].delete(first);
      this.#ready.add(first);
    }
  }

  /** Puts off what waited too long, looks at lanes again that had to wait, and forgets idle ones. */
  #sweepLanes(): void {
    const now = monotonicNow();
    this.#slots.recount(this.#lanes.values());
    for (const [id, lane] of this.#lanes) {
      this.#putOffFront(lane, (ticket) => now - ticket.queuedAt > (ticket.lease ? MAX_CLAIMED_WAIT_MS : MAX_WAIT_MS));
      // Its rate may have refilled, or slots may be scarce no more.
      if (lane.queue.size > 0 && !this.#isBlocked(lane)) this.#ready.add(lane);
      if (lane.isIdle) this.#forget(id, lane);
    }
    this.#unblock();
    if (this.#lanes.size === 0) {
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    }
    this.#pump();
  }

  /** As long as it waits for others of its kind, it keeps its turn among them. */
  #isBlocked(lane: Lane): boolean {
    const { standing } = lane;
    if (this.#blocked[standing].has(lane) && this.#slots.isFullFor(standing)) return true;
    for (const lanes of Object.values(this.#blocked)) lanes.delete(lane);
    return false;
  }

  #forget(id: string, lane: Lane): void {
    this.#lanes.delete(id);
    for (const lanes of Object.values(this.#blocked)) lanes.delete(lane);
    if (!lane.isKnown) return;
    this.#known.add(id);
    for (const oldest of this.#known.size > MAX_KNOWN ? this.#known : []) {
      this.#known.delete(oldest);
      break;
    }
  }

  #putOffFront(lane: Lane, when: (ticket: Ticket) => boolean): void {
    for (let ticket = lane.queue.peek(); ticket !== undefined && when(ticket); ticket = lane.queue.peek()) {
      lane.queue.shift();
      this.#count(ticket, -1);
      this.#options.putOff(ticket);
    }
  }
}
