import { monotonicNow } from '../../../lib/clock.ts';
import { Pace, type Signal } from './pace.ts';
import type { Standing } from './slots.ts';
import type { EngineEndpoint, Ticket } from './types.ts';

/** A queue that gives up its front in constant time. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  get size(): number {
    return this.#items.length - this.#head;
  }
  push(item: T): void {
    this.#items.push(item);
  }
  peek(): T | undefined {
    return this.#items[this.#head];
  }
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** Weight of the newest attempt in the mean. */
const NEWEST_WEIGHT = 0.1;
/** An attempt that is older than this hangs, as far as others are concerned. Milliseconds. */
const HANGING_MS = 1000;
/**
 * A failure that took `HANGING_MS` or longer counts in the mean as one of this long at least, so that one alone tells that the endpoint
 * hangs, also where WEBHOOK_TIMEOUT_SECONDS has it end sooner than by default. Milliseconds.
 */
const UNANSWERED_MS = 15_000;
/** What an endpoint gets that has not answered yet, and while slots are scarce one that hangs or is late. */
export const SMALL_CAP = 2;
/** What is claimed should go within this: half of what a claimed delivery may wait here (dispatcher.ts). Milliseconds. */
const CLAIM_AHEAD_MS = 10_000;
/** So long is it remembered that an endpoint hung, though nothing waits for it. Milliseconds. */
const REMEMBER_MS = 300_000;

/**
 * What waits for one endpoint, and how much of it may go now: at most `maxInFlight` requests under way and
 * `ratePerSecond` a second (a bucket that holds one second's worth).
 */
export class Lane {
  /** What is under way, in order of start, with the start. */
  readonly #underWay = new Map<Ticket, number>();
  /** How long an attempt takes: mean of the last ones. Milliseconds. */
  #attemptMs = 0;
  /** When an attempt ended last; null: none has. */
  #endedAt: number | null = null;
  readonly queue = new Fifo<Ticket>();
  readonly #share: () => number;
  /** When something was last submitted to it. On the monotonic clock, milliseconds. */
  usedAt = monotonicNow();
  #tokens: number;
  #refilledAt = monotonicNow();
  readonly #pace = new Pace();
  #endpoint: EngineEndpoint;
  #isKnown: boolean;

  /**
   * `share`: the most that one endpoint may have under way now, whatever it asks for. `isKnown`: it has answered before in good
   * time. `isOpening`: it was closed until a moment ago. `isStarting`: another node may have sent what its rate allows in this
   * very second.
   */
  constructor(
    endpoint: EngineEndpoint,
    share: () => number,
    { isKnown = false, isOpening = false, isStarting = false } = {},
  ) {
    this.#share = share;
    this.#endpoint = endpoint;
    this.#isKnown = isKnown;
    this.#tokens = isStarting ? 1 : (endpoint.ratePerSecond ?? 0);
    if (isOpening) this.#pace.open(monotonicNow());
  }

  /** This node sends to it again since a moment ago: see `isStarting`. */
  startAnew(): void {
    this.#tokens = Math.min(this.#tokens, 1);
    this.#refilledAt = monotonicNow();
  }

  get endpoint(): EngineEndpoint {
    return this.#endpoint;
  }
  set endpoint(endpoint: EngineEndpoint) {
    if (endpoint.openedAt !== this.#endpoint.openedAt) this.#pace.open(monotonicNow());
    this.#endpoint = endpoint;
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  /** Nothing would be lost by forgetting this lane. */
  get isIdle(): boolean {
    if (this.inFlight > 0 || this.queue.size > 0 || this.#refill() < (this.endpoint.ratePerSecond ?? 0)) return false;
    const isUsual = this.#attemptMs <= HANGING_MS && !this.#pace.isRamping;
    return isUsual || this.#endedAt === null || monotonicNow() - this.#endedAt > REMEMBER_MS;
  }

  /** It has answered in good time when it was last asked. */
  get isKnown(): boolean {
    return this.#isKnown && !this.isHanging;
  }

  /**
   * Its attempts take over a second, or the oldest under way already does. The mean counts too: what starts together
   * times out together, and an endpoint with nothing old under way is no better for that. About 25 quick answers after
   * timeouts of 15 s, it hangs no more.
   */
  get isHanging(): boolean {
    return this.#hangs(this.#oldestMs());
  }

  #hangs(oldestMs: number): boolean {
    return Math.max(this.#attemptMs, oldestMs) > HANGING_MS;
  }

  /** See `Slots`. One that is known to fail is suspect until something here says otherwise. */
  get standing(): Standing {
    const oldestMs = this.#oldestMs();
    if (this.#hangs(oldestMs) || oldestMs > this.#pace.lateMs) return 'SUSPECT';
    if (this.#isStranger) return 'STRANGER';
    return this.#endedAt === null && this.endpoint.failingSince !== null ? 'SUSPECT' : 'TRUSTED';
  }

  get #isStranger(): boolean {
    return this.#endedAt === null && !this.#isKnown && this.endpoint.failingSince === null;
  }

  /**
   * How many may be under way: what it asks for, what its pace allows, and no more than two as long as it has not answered,
   * or while slots are scarce and it hangs or is late.
   */
  cap(isScarce: boolean): number {
    const most = Math.min(this.#most, this.#pace.allowed);
    return this.#isStranger || (isScarce && this.standing === 'SUSPECT') ? Math.min(most, SMALL_CAP) : most;
  }

  get #most(): number {
    return Math.min(this.endpoint.maxInFlight, this.#share());
  }

  /** It has all it can take. */
  isFull(isScarce: boolean): boolean {
    return this.inFlight + this.queue.size >= this.cap(isScarce);
  }

  /**
   * How many deliveries should be claimed for it now: what its cap lets through in two rounds (in one, if they are long)
   * and its rate in `CLAIM_AHEAD_MS`. A stock that the rate makes last is filled up when half of it is gone.
   */
  claimable(isScarce: boolean): number {
    if (this.isFull(isScarce)) return 0;
    const rounds = 2 * this.#attemptMs > CLAIM_AHEAD_MS ? 1 : 2;
    const byCap = this.cap(isScarce) * rounds - this.inFlight - this.queue.size;
    const { ratePerSecond } = this.endpoint;
    if (ratePerSecond === null) return byCap;
    const stock = (ratePerSecond * CLAIM_AHEAD_MS) / 1000;
    return this.queue.size * 2 > stock ? 0 : Math.min(byCap, Math.floor(stock + this.#refill()) - this.queue.size);
  }

  #oldestMs(): number {
    for (const oldest of this.#underWay.values()) return monotonicNow() - oldest;
    return 0;
  }

  /** The next ticket if it may go now. */
  takeReady(isScarce: boolean): Ticket | undefined {
    if (this.queue.size === 0 || this.inFlight >= this.cap(isScarce)) return undefined;
    if (!this.#takeToken()) return undefined;
    const ticket = this.queue.shift();
    if (ticket) this.#underWay.set(ticket, monotonicNow());
    return ticket;
  }

  /** The attempt has ended. */
  finish(ticket: Ticket, signal: Signal): void {
    const startedAt = this.#underWay.get(ticket);
    const load = this.inFlight;
    this.#underWay.delete(ticket);
    if (startedAt === undefined || signal === 'none') return;
    const now = monotonicNow();
    const tookMs = now - startedAt;
    const isUnanswered = signal === 'bad' && tookMs >= HANGING_MS;
    this.#attemptMs += ((isUnanswered ? Math.max(tookMs, UNANSWERED_MS) : tookMs) - this.#attemptMs) * NEWEST_WEIGHT;
    this.#endedAt = now;
    this.#isKnown = signal === 'good';
    this.#pace.ended(signal, { startedAt, now, load, most: this.#most });
  }

  /**
   * How long a ticket that is queued now would wait, as far as can be told: rounds ahead of it times the length of an
   * attempt. An endpoint that does not answer at all is known by the age of its oldest attempt.
   */
  expectedWaitMs(): number {
    const { ratePerSecond } = this.endpoint;
    const cap = this.cap(false);
    const forRate =
      ratePerSecond === null ? 0 : Math.max(0, ((this.queue.size + 1 - this.#refill()) * 1000) / ratePerSecond);
    if (this.inFlight < cap) return forRate;
    const rounds = (this.queue.size + 1) / cap;
    return Math.max(rounds * Math.max(this.#attemptMs, this.#oldestMs()), forRate);
  }

  #takeToken(): boolean {
    if (this.endpoint.ratePerSecond === null) return true;
    if (this.#refill() < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Tokens that are there now. */
  #refill(): number {
    const rate = this.endpoint.ratePerSecond ?? 0;
    const now = monotonicNow();
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#refilledAt) * rate) / 1000);
    this.#refilledAt = now;
    return this.#tokens;
  }
}
