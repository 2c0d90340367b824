import { monotonicNow } from '../../../lib/clock.ts';

/** While first attempts flow, claims rest for so many times as long as one took. */
const REST = 12;
/** First outcomes per second from which on first attempts flow: a tenth of what a process can send. */
const FLOW = 1000;

/**
 * Lets first attempts go before claims on a machine that is full: what is due is late already, what is new is not, and each row
 * of a backlog costs a first attempt (it is found, changed twice and sent). Nothing is held up by it when little is
 * published, and never for longer than a few claims take.
 */
export class ClaimPace {
  readonly #outcomes: () => number;
  readonly #now: () => number;
  #restUntil = Number.NEGATIVE_INFINITY;
  #seen = 0;
  #seenAt: number;

  /** `outcomes`: first outcomes so far. `now`: milliseconds of a clock that never jumps. */
  constructor(outcomes: () => number, now: () => number = monotonicNow) {
    this.#outcomes = outcomes;
    this.#now = now;
    this.#seenAt = now();
  }

  /** Claims unless it rests; true when more should be claimed at once. After a rest somebody has to ask again. */
  async step(claim: () => Promise<boolean>): Promise<boolean> {
    const startedAt = this.#now();
    if (startedAt < this.#restUntil) return false;
    const more = await claim();
    const [now, outcomes] = [this.#now(), this.#outcomes()];
    const flows = outcomes - this.#seen >= (FLOW * Math.max(1, now - this.#seenAt)) / 1000;
    this.#seen = outcomes;
    this.#seenAt = now;
    if (!more || !flows) return more;
    this.#restUntil = now + REST * (now - startedAt);
    return false;
  }
}
