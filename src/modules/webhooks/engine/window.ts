import type { EventProgress } from './types.ts';

/** How many deliveries of each event are being written. */
export type Closing = ReadonlyMap<EventProgress, number>;

/**
 * The events between the durable cursor and what has been read. The cursor may pass an event once every delivery of it
 * has a row; after a crash only the events of this window are fanned out again.
 */
export class Window {
  #events: EventProgress[] = [];
  #head = 0;
  /** The last event that was taken on. */
  #last: number;
  readonly #generation: number;
  #unfinished = 0;

  constructor(cursor: number, generation: number) {
    this.#last = cursor;
    this.#generation = generation;
  }

  /** Events with deliveries, from the first that is not done. Behind a slow one they pile up, though nearly all are done. */
  get size(): number {
    return this.#events.length - this.#head;
  }

  /** Events with deliveries that have no row yet. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** For an event that is about to be taken on; nothing has happened yet. */
  create(position: number): EventProgress {
    return { position, before: this.#last, open: 0, generation: this.#generation };
  }

  /** Takes the event on: it is done when so many deliveries have a row. Events come in the order of the log. */
  open(event: EventProgress, deliveries: number): void {
    this.#last = event.position;
    if (deliveries === 0) return;
    event.open = deliveries;
    this.#events.push(event);
    this.#unfinished++;
  }

  /** An event that causes no delivery. */
  pass(position: number): void {
    this.#last = position;
  }

  /** Where the cursor may be once these are written. Changes nothing: the write may fail. */
  cursorAfter(closing: Closing): number {
    for (let i = this.#head; i < this.#events.length; i++) {
      const event = this.#events[i] as EventProgress;
      if (event.open > (closing.get(event) ?? 0)) return event.before;
    }
    return this.#last;
  }

  /** These are written. */
  close(closing: Closing): void {
    for (const [event, n] of closing) {
      event.open -= n;
      if (event.open === 0) this.#unfinished--;
    }
    while (this.#head < this.#events.length && (this.#events[this.#head] as EventProgress).open === 0) {
      this.#head++;
    }
    if (this.#head > 4096 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}
