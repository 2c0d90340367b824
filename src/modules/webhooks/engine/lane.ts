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

/**
 * What waits for one endpoint, and how much of it may go now: at most `maxInFlight` requests under way and
 * `ratePerSecond` a second (a bucket that holds one second's worth).
 */
export class Lane {
  endpoint: EngineEndpoint;
  inFlight = 0;
  readonly queue = new Fifo<Ticket>();
  #tokens: number;
  #refilledAt = monotonicNow();

  constructor(endpoint: EngineEndpoint) {
    this.endpoint = endpoint;
    this.#tokens = endpoint.ratePerSecond ?? 0;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.queue.size === 0;
  }

  /** The next ticket if it may go now. */
  takeReady(): Ticket | undefined {
    if (this.queue.size === 0 || this.inFlight >= this.endpoint.maxInFlight) return undefined;
    if (!this.#takeToken()) return undefined;
    this.inFlight++;
    return this.queue.shift();
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
