import { monotonicNow } from '../../../lib/clock.ts';
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

/**
 * What waits for one endpoint, and how much of it may go now: at most `maxInFlight` requests under way and
 * `ratePerSecond` a second (a bucket that holds one second's worth).
 */
export class Lane {
  endpoint: EngineEndpoint;
  /** What is under way, in order of start, with the start. */
  readonly #underWay = new Map<Ticket, number>();
  /** How long an attempt takes: mean of the last ones. Milliseconds. */
  #attemptMs = 0;
  readonly queue = new Fifo<Ticket>();
  #tokens: number;
  #refilledAt = monotonicNow();

  constructor(endpoint: EngineEndpoint) {
    this.endpoint = endpoint;
    this.#tokens = endpoint.ratePerSecond ?? 0;
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.queue.size === 0;
  }

  /** The next ticket if it may go now. */
  takeReady(): Ticket | undefined {
    if (this.queue.size === 0 || this.inFlight >= this.endpoint.maxInFlight) return undefined;
    if (!this.#takeToken()) return undefined;
    const ticket = this.queue.shift();
    if (ticket) this.#underWay.set(ticket, monotonicNow());
    return ticket;
  }

  /** The attempt has ended. */
  finish(ticket: Ticket): void {
    const startedAt = this.#underWay.get(ticket);
    this.#underWay.delete(ticket);
    if (startedAt !== undefined) this.#attemptMs += (monotonicNow() - startedAt - this.#attemptMs) * NEWEST_WEIGHT;
  }

  /**
   * How long a ticket that is queued now would wait, as far as can be told: rounds ahead of it times the length of an
   * attempt. An endpoint that does not answer at all is known by the age of its oldest attempt.
   */
  expectedWaitMs(): number {
    const { maxInFlight, ratePerSecond } = this.endpoint;
    if (this.inFlight < maxInFlight && ratePerSecond === null) return 0;
    const [oldest] = this.#underWay.values();
    const attemptMs = Math.max(this.#attemptMs, oldest === undefined ? 0 : monotonicNow() - oldest);
    const rounds = (this.queue.size + 1) / maxInFlight;
    return Math.max(rounds * attemptMs, ratePerSecond === null ? 0 : (this.queue.size * 1000) / ratePerSecond);
  }

  /** Milliseconds until the rate lets another one go; null when something else holds it up. */
  waitForRate(): number | null {
    const rate = this.endpoint.ratePerSecond;
    if (rate === null || this.queue.size === 0 || this.inFlight >= this.endpoint.maxInFlight) return null;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1000) / rate);
  }

  #takeToken(): boolean {
    const rate = this.endpoint.ratePerSecond;
    if (rate === null) return true;
    const now = monotonicNow();
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#refilledAt) * rate) / 1000);
    this.#refilledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
