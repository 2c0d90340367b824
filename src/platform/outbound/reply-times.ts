/** For so long the least is remembered, at least; for twice as long at most. Milliseconds. */
const REMEMBER_MS = 10_000;
/** Weight of the newest reply in the mean. */
const NEWEST_WEIGHT = 0.05;
/** A receiver that takes so many times the least answers one after the other: more requests at once would only wait there. */
const QUEUEING = 4;

/** How long an origin takes for its replies, to tell whether it would answer more requests at once any sooner. Times in milliseconds, on the monotonic clock. */
export class ReplyTimes {
  #mean = 0;
  #least = Number.POSITIVE_INFINITY;
  #leastBefore = Number.POSITIVE_INFINITY;
  #since = Number.NEGATIVE_INFINITY;

  /** A request was answered so long after it was begun to be written. */
  note(tookMs: number, now: number): void {
    if (now - this.#since > REMEMBER_MS) {
      this.#leastBefore = now - this.#since > 2 * REMEMBER_MS ? Number.POSITIVE_INFINITY : this.#least;
      this.#least = Number.POSITIVE_INFINITY;
      this.#since = now;
    }
    this.#least = Math.min(this.#least, tookMs);
    this.#mean = this.#mean === 0 ? tookMs : this.#mean + (tookMs - this.#mean) * NEWEST_WEIGHT;
  }

  /** Whether requests wait for each other there; as long as nothing has come back they may. */
  get isQueueing(): boolean {
    return this.#mean === 0 || this.#mean >= QUEUEING * Math.min(this.#least, this.#leastBefore);
  }
}
