/** How an attempt went for its receiver: `bad`, it could not take it; `none`, no request was made. */
export type Signal = 'good' | 'bad' | 'none';

/** What an endpoint that nothing is known against may have at once; from there on, one more with every good answer. */
const FIRST = 8;
/** An answer may take this long without being slow, however quick the others are. Milliseconds. */
const SLOW_MS = 1000;
/** Slow: this many times as long as is usual for the endpoint. */
const SLOW_FACTOR = 4;
const WEIGHT = 0.1;
/** An endpoint that is slower for good is taken as it is after some fifteen answers. */
const SLOW_WEIGHT = 0.02;
/** After trouble, what is allowed doubles in this time at most: from 1 to 16 in four seconds. Milliseconds. */
const DOUBLING_MS = 1000;
/** A request under way for this long, and for four times what is usual, is late. Milliseconds. */
const LATE_MS = 200;

/**
 * How many requests an endpoint may have under way, by how it fares: half as many once a failure or a slow answer comes to
 * what was begun since the last cut, one more with every good answer to a full load. After trouble, and after the endpoint
 * was opened again, it grows no faster than to the double each second, so that a backlog does not knock down a receiver that
 * has just got up.
 */
export class Pace {
  #allowed = FIRST;
  #usualMs: number | null = null;
  #cutAt = Number.NEGATIVE_INFINITY;
  /** Where and when it began to grow again; null: nothing is known against it. */
  #ramp: { from: number; at: number } | null = null;

  /** Not less than one. */
  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** It was in trouble, and has not come back to all that it may have. */
  get isRamping(): boolean {
    return this.#ramp !== null;
  }

  /** A request that has been under way for this long is late. Milliseconds. */
  get lateMs(): number {
    return Math.max(LATE_MS, SLOW_FACTOR * (this.#usualMs ?? 0));
  }

  /** The endpoint was opened (again): one at first. `now` and the times below are of the monotonic clock. */
  open(now: number): void {
    this.#rampFrom(1, now);
  }

  /** `load`: how many were under way, this one included. `most`: what it may have if all goes well. */
  ended(signal: Signal, attempt: { startedAt: number; now: number; load: number; most: number }): void {
    if (signal === 'none') return;
    const { startedAt, now, load, most } = attempt;
    const ms = now - startedAt;
    const isSlow = ms > Math.max(SLOW_MS, SLOW_FACTOR * (this.#usualMs ?? ms));
    if (signal === 'good') this.#usualMs ??= ms;
    if (signal === 'good') this.#usualMs = this.#mean(ms, isSlow ? SLOW_WEIGHT : WEIGHT);
    if (signal === 'bad' || isSlow) {
      // What was begun before the last cut says nothing new.
      if (startedAt < this.#cutAt) return;
      this.#cutAt = now;
      this.#rampFrom(Math.max(1, Math.floor(Math.min(this.#allowed, most) / 2)), now);
    } else if (load * 2 >= this.allowed) this.#grow(now, most);
  }

  #mean(ms: number, weight: number): number {
    const usual = this.#usualMs ?? ms;
    return usual + (ms - usual) * weight;
  }

  #grow(now: number, most: number): void {
    const ceiling = this.#ramp ? this.#ramp.from * 2 ** ((now - this.#ramp.at) / DOUBLING_MS) : most;
    this.#allowed = Math.max(this.#allowed, Math.min(most, ceiling, this.#allowed + 1));
    if (this.#allowed >= most) this.#ramp = null;
  }

  #rampFrom(from: number, now: number): void {
    this.#allowed = from;
    this.#ramp = { from, at: now };
  }
}
