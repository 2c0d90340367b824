import { monotonicNow } from '../../../lib/clock.ts';
import { Lane } from './lane.ts';
import type { Ticket } from './types.ts';

/** What would wait longer than this is written as PENDING and claimed later. Milliseconds. */
const MAX_WAIT_MS = 1000;
/** A claimed delivery has its row already, and its lease runs longer than this. Milliseconds. */
const MAX_CLAIMED_WAIT_MS = 20_000;
const SWEEP_MS = 100;
/**
 * Of requests that were begun within the last 20 ms, so many are under way at once. Where receivers answer fast, more only
 * fill sockets: 128 instead of 1,024 sent a tenth more at fan-out 10. Slow ones soon count no longer, so
 * up to 6,400 a second can be begun however long they take.
 */
const MAX_YOUNG = 128;
const YOUNG_MS = 20;

export interface DispatcherOptions {
  /** Whether this node is the one that sends to this account now. What may not go waits. */
  maySend(accountId: string): boolean;
  /** Makes the attempt and records its result. Never rejects. */
  attempt(ticket: Ticket): Promise<void>;
  /** Puts a ticket off to later, without an attempt. */
  putOff(ticket: Ticket): void;
  maxInFlight: number;
  /** Of these, the most that one endpoint may have, whatever it asks for. */
  maxPerEndpoint?: number;
  /** Most tickets waiting, over all endpoints. */
  maxQueued: number;
}

/**
 * Decides when each ticket goes. Endpoints are served in turn, one request each, so that one with a long queue does not
 * delay the others; what cannot go soon leaves memory.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #share: number;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may have something ready, in turn. */
  readonly #ready = new Set<Lane>();
  /** Hanging ones that wait until others of their kind need fewer slots, in turn. */
  readonly #blocked = new Set<Lane>();
  #inFlight = 0;
  /** Of these, requests to endpoints that hang: counted with every sweep, and kept up to date in between. */
  #hanging = 0;
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
    this.#share = options.maxPerEndpoint ?? options.maxInFlight;
  }

  get inFlight(): number {
    return this.#inFlight;
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
    const { maxInFlight, maxQueued } = this.#options;
    return Math.max(
      0,
      Math.min(maxInFlight - this.#inFlight, Math.ceil(maxQueued / 2) - this.#claimed, maxQueued - this.#queued),
    );
  }

  /** Half of the slots are taken: from here on hanging endpoints get fewer. */
  get #isScarce(): boolean {
    return this.#inFlight * 2 >= this.#options.maxInFlight;
  }

  /** Those that hang have half of the slots: however many they are, the other half is for those that answer. */
  get #areHangingFull(): boolean {
    return this.#hanging * 2 >= this.#options.maxInFlight;
  }

  /** Ids of endpoints that have all they can take, until requests of theirs end. */
  busyEndpoints(): string[] {
    const busy: string[] = [];
    for (const [id, lane] of this.#lanes) if (this.#isFull(lane)) busy.push(id);
    return busy;
  }

  /** How many deliveries may be claimed for each endpoint that should get fewer than `most`; 0 for a busy one. */
  claimLimits(most: number): Map<string, number> {
    const limits = new Map<string, number>();
    for (const [id, lane] of this.#lanes) {
      const limit = this.#isFull(lane) ? 0 : lane.claimable(this.#isScarce);
      if (limit < most) limits.set(id, limit);
    }
    return limits;
  }

  #isFull(lane: Lane): boolean {
    return lane.isFull(this.#isScarce) || (this.#areHangingFull && lane.isHanging);
  }

  submit(ticket: Ticket): void {
    const { endpoint } = ticket;
    let lane = this.#lanes.get(endpoint.id);
    if (!lane) this.#lanes.set(endpoint.id, (lane = new Lane(endpoint, this.#share)));
    lane.endpoint = endpoint;
    const isSlow =
      ticket.lease === null && (lane.expectedWaitMs() > MAX_WAIT_MS || (lane.isHanging && this.#isFull(lane)));
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
    if (this.#inFlight === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((done) => this.#idle.push(done)),
      new Promise<void>((done) => (timer = setTimeout(done, ms))),
    ]);
    clearTimeout(timer);
  }

  /** Forgets what waits, which another node sends from now on; returns those of it that were claimed. */
  forgetQueued(): Ticket[] {
    const claimed: Ticket[] = [];
    for (const lane of this.#lanes.values()) {
      for (let ticket = lane.queue.shift(); ticket !== undefined; ticket = lane.queue.shift()) {
        this.#count(ticket, -1);
        if (ticket.lease) claimed.push(ticket);
      }
    }
    return claimed;
  }

  #pump(): void {
    // A lane that was served goes to the end, where this loop meets it again: under load, when one slot is free at a
    // time, the next one is another endpoint's.
    for (const lane of this.#ready) {
      if (this.#inFlight >= this.#options.maxInFlight || this.#isBusy()) break;
      this.#ready.delete(lane);
      if (!this.#options.maySend(lane.endpoint.accountId)) continue;
      if (this.#areHangingFull && lane.isHanging) {
        this.#blocked.add(lane);
        continue;
      }
      const ticket = lane.takeReady(this.#isScarce);
      if (ticket === undefined) continue;
      if (lane.queue.size > 0) this.#ready.add(lane);
      this.#go(lane, ticket);
    }
  }

  /** Enough was begun lately; looks again when the oldest of it is not young any more. */
  #isBusy(): boolean {
    if (this.#young.size < MAX_YOUNG) return false;
    const now = monotonicNow();
    for (const [ticket, startedAt] of this.#young) {
      if (now - startedAt < YOUNG_MS) break;
      this.#young.delete(ticket);
    }
    if (this.#young.size < MAX_YOUNG) return false;
    this.#ageing ??= setTimeout(() => {
      this.#ageing = undefined;
      this.#pump();
    }, YOUNG_MS);
    return true;
  }

  #count(ticket: Ticket, by: 1 | -1): void {
    this.#queued += by;
    if (ticket.lease) this.#claimed += by;
  }

  #go(lane: Lane, ticket: Ticket): void {
    this.#count(ticket, -1);
    this.#inFlight++;
    if (lane.isHanging) this.#hanging++;
    this.#young.set(ticket, monotonicNow());
    void this.#options.attempt(ticket).then(() => {
      if (lane.isHanging) this.#hanging--;
      lane.finish(ticket);
      this.#young.delete(ticket);
      this.#inFlight--;
      this.#unblock();
      if (lane.queue.size > 0) this.#ready.add(lane);
      if (this.#ready.size > 0) this.#pump();
      if (this.#inFlight === 0) for (const done of this.#idle.splice(0)) done();
    });
  }

  /** Whoever waited longest is served first, before the lane whose request has just ended. */
  #unblock(): void {
    if (this.#blocked.size === 0 || this.#areHangingFull) return;
    for (const lane of this.#blocked) this.#ready.add(lane);
    this.#blocked.clear();
  }

  /** Puts off what waited too long, looks at lanes again that had to wait, and forgets idle ones. */
  #sweepLanes(): void {
    const now = monotonicNow();
    this.#hanging = 0;
    for (const [id, lane] of this.#lanes) {
      if (lane.isHanging) this.#hanging += lane.inFlight;
      this.#putOffFront(lane, (ticket) => now - ticket.queuedAt > (ticket.lease ? MAX_CLAIMED_WAIT_MS : MAX_WAIT_MS));
      // Its rate may have refilled, or slots may be scarce no more.
      if (lane.queue.size > 0 && !this.#blocked.has(lane)) this.#ready.add(lane);
      if (lane.isIdle) this.#forget(id, lane);
    }
    this.#unblock();
    if (this.#lanes.size === 0) {
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    }
    this.#pump();
  }

  #forget(id: string, lane: Lane): void {
    this.#lanes.delete(id);
    this.#blocked.delete(lane);
  }

  #putOffFront(lane: Lane, when: (ticket: Ticket) => boolean): void {
    for (let ticket = lane.queue.peek(); ticket !== undefined && when(ticket); ticket = lane.queue.peek()) {
      lane.queue.shift();
      this.#count(ticket, -1);
      this.#options.putOff(ticket);
    }
  }
}
