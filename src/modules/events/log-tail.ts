import type { LoggedEvent } from './types.ts';

/** Events kept for readers of this process; what is older is read from the database. */
const KEEP_EVENTS = 20_000;

/**
 * What this process committed last, so that its readers need not fetch it again. Purely a shortcut: a run of consecutive
 * positions that are all known to be committed is exactly what the database would answer (see settle.ts), and whatever
 * is not here is read there. Nothing is kept without a reader.
 */
export class LogTail {
  readonly #events = new Map<number, LoggedEvent>();
  /** Where each reader of this process is. */
  readonly #readers = new Map<string, number>();
  /** The position of the slowest of them: nothing at or below is kept. */
  #consumed = Number.POSITIVE_INFINITY;
  /** The highest position that was ever kept. */
  #last = 0;

  push(events: readonly LoggedEvent[]): void {
    for (const e of events) {
      if (e.position <= this.#consumed) continue;
      this.#events.set(e.position, e);
      if (e.position > this.#last) this.#last = e.position;
    }
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

  /** There is something behind the position that is not directly after it. */
  hasBeyond(after: number): boolean {
    return this.#events.size > 0 && this.#last > after && !this.#events.has(after + 1);
  }

  /** A reader of this process begins after this position. */
  follow(reader: string, after: number): void {
    this.#readers.set(reader, after);
    this.#trim();
  }

  /** It reads no more. */
  unfollow(reader: string): void {
    this.#readers.delete(reader);
    this.#trim();
  }

  /** The reader is past this position. */
  consumed(reader: string, upTo: number): void {
    const at = this.#readers.get(reader);
    if (at === undefined || upTo <= at) return;
    this.#readers.set(reader, upTo);
    if (at === this.#consumed) this.#trim();
  }

  #trim(): void {
    this.#consumed = this.#readers.size === 0 ? Number.POSITIVE_INFINITY : Math.min(...this.#readers.values());
    for (const position of this.#events.keys()) {
      if (position > this.#consumed) break;
      this.#events.delete(position);
    }
  }
}
