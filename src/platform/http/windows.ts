/** Length of the windows of rate limits (contract: limits are per minute). Milliseconds. */
export const LIMIT_WINDOW_MS = 60_000;

/** How often somebody was counted in the window that is open, and when it ends. */
export interface WindowCount {
  count: number;
  endsInMs: number;
}

/** One window of somebody. */
interface Window {
  count: number;
  /** On the clock of `Windows`. Milliseconds. */
  endsAt: number;
}

/** Counts in fixed windows, each from its first count on, in this process. */
export class Windows {
  readonly #lengthMs: number;
  readonly #monotonic: () => number;
  readonly #open = new Map<string, Window>();
  #sweepAt = 0;

  /** `monotonic`: milliseconds of a clock that never jumps. */
  constructor(lengthMs: number, monotonic: () => number) {
    this.#lengthMs = lengthMs;
    this.#monotonic = monotonic;
  }

  /** Counts one more of `who`: how many in this window, and in how many milliseconds it ends. */
  count(who: string): WindowCount {
    const now = this.#monotonic();
    if (now >= this.#sweepAt) this.#sweep(now);
    let window = this.#open.get(who);
    if (!window || window.endsAt <= now) this.#open.set(who, (window = { count: 0, endsAt: now + this.#lengthMs }));
    window.count++;
    return { count: window.count, endsInMs: window.endsAt - now };
  }

  /** How often `who` was counted in the window that is open, without counting. */
  countOf(who: string): number {
    const window = this.#open.get(who);
    return window && window.endsAt > this.#monotonic() ? window.count : 0;
  }

  /** Windows that are held, of which some have ended. */
  get size(): number {
    return this.#open.size;
  }

  /** Once per length, so nothing is held for longer than two of them. */
  #sweep(now: number): void {
    this.#sweepAt = now + this.#lengthMs;
    for (const [who, { endsAt }] of this.#open) if (endsAt <= now) this.#open.delete(who);
  }
}
