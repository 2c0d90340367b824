import type { LoggedEvent } from './types.ts';

/** Events kept for readers of this process; what is older is read from the database. */
const KEEP_EVENTS = 20_000;

/**
 * What this process committed last, so that its readers need not fetch it again. Purely a shortcut: a run of consecutive
 * positions that are all known to be committed is exactly what the database would answer (see settle.ts), and whatever
 * is not here is read there.
 */
export class LogTail {
  readonly #events = new Map<number, LoggedEvent>();
  /** Where the reader of this process is; nothing at or below is kept, and nothing at all without a reader. */
  #consumed = Number.POSITIVE_INFINITY;

  push(events: readonly LoggedEvent[]): void {
    for (const e of events) if (e.position > this.#consumed) this.#events.set(e.position, e);
    for (const position of this.#events.keys()) {
      if (this.#events.size <= KEEP_EVENTS) break;
      this.#events.delete(position);
    }
  }

  /** The consecutive events directly after a position. */
  take(after: number, limit: number): LoggedEvent[] {
    const run: LoggedEvent[] = [];
    for (let p = after + 1; run.length < limit; p++) {
      const event = this.#events.get(p);
      if (!event) break;
      run.push(event);
    }
    return run;
  }

  /** There is something here that is not directly after the position. */
  hasBeyond(after: number): boolean {
    return this.#events.size > 0 && !this.#events.has(after + 1);
  }

  /** A reader of this process begins after this position. */
  follow(after: number): void {
    this.#consumed = after;
  }

  /** No reader of this process is left. */
  unfollow(): void {
    this.#consumed = Number.POSITIVE_INFINITY;
    this.#events.clear();
  }

  /** The reader is past this position. */
  consumed(upTo: number): void {
    if (this.#consumed === Number.POSITIVE_INFINITY) return;
    this.#consumed = Math.max(this.#consumed, upTo);
    for (const position of this.#events.keys()) {
      if (position > upTo) break;
      this.#events.delete(position);
    }
  }
}
