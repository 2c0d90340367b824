import type { LoggedEvent } from './types.ts';

/**
 * Of so many positions the events are kept for readers of this process; what is older is read from the database. An event's place is
 * told by its position, which costs each of seven readers a tenth of what a map of them does.
 */
const KEEP_EVENTS = 16_384;
const placeOf = (position: number): number => position % KEEP_EVENTS;

/**
 * What this process committed last, and what its readers fetched, so that none of them need fetch it again. Purely a
 * shortcut: a run of consecutive positions that are all known to be committed, or known to be empty for good between two
 * that are, is exactly what the database would answer (see settle.ts), and whatever is not here is read there. Nothing is
 * kept without a reader.
 */
export class LogTail {
  /** By place; of two events that share one, the later. */
  readonly #events = Array.from<LoggedEvent | undefined>({ length: KEEP_EVENTS });
  #size = 0;
  /** By a position, the next one that is taken, where empty ones lie between. */
  readonly #over = new Map<number, number>();
  /** Where each reader of this process is. */
  readonly #readers = new Map<string, number>();
  /** The position of the slowest of them: nothing at or below is kept. */
  #consumed = Number.POSITIVE_INFINITY;
  /** The highest position that was ever kept. */
  #last = 0;
  #moment = 0;
  /** Nothing was behind the position for a reading that began at this moment. */
  #end = { position: -1, moment: -1 };

  /** A number that rises with each call: which of two things came first. */
  nextMoment(): number {
    return ++this.#moment;
  }

  /** The database had nothing behind the position for a reading that began at this moment. */
  endedAt(position: number, moment: number): void {
    if (moment > this.#end.moment) this.#end = { position, moment };
  }

  /** Whether some reader has found, since the moment, that nothing is behind the position. */
  isEndSince(position: number, moment: number): boolean {
    return this.#end.position === position && this.#end.moment > moment;
  }

  /** These were committed. */
  push(events: readonly LoggedEvent[]): void {
    for (const e of events) this.#keep(e);
  }

  /**
   * The database answered these for the positions after one, in order, and nothing will ever come between them. Not for
   * those that are far behind: they would push out what the other readers read next.
   */
  learn(after: number, events: readonly LoggedEvent[]): void {
    let before = after;
    for (const e of events) {
      if (e.position > this.#last - KEEP_EVENTS && !this.#at(e.position)) this.#keep(e);
      if (e.position > before + 1 && e.position > this.#consumed) this.#over.set(before, e.position);
      before = e.position;
    }
    for (const from of this.#over.keys()) {
      if (this.#over.size <= KEEP_EVENTS) break;
      this.#over.delete(from);
    }
  }

  #keep(e: LoggedEvent): void {
    if (e.position <= this.#consumed) return;
    const place = placeOf(e.position);
    const other = this.#events[place];
    if (other && other.position > e.position) return;
    if (!other) this.#size++;
    this.#events[place] = e;
    if (e.position > this.#last) this.#last = e.position;
  }

  #at(position: number): LoggedEvent | undefined {
    const event = this.#events[placeOf(position)];
    return event?.position === position ? event : undefined;
  }

  #next(after: number): LoggedEvent | undefined {
    return this.#at(this.#over.size === 0 ? after + 1 : (this.#over.get(after) ?? after + 1));
  }

  /** The events directly after a position. */
  take(after: number, limit: number): LoggedEvent[] {
    const run: LoggedEvent[] = [];
    for (let next = this.#next(after); next && run.length < limit; next = this.#next(next.position)) run.push(next);
    return run;
  }

  /** There is something behind the position that is not directly after it. */
  hasBeyond(after: number): boolean {
    return this.#size > 0 && this.#last > after && !this.#next(after);
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
    const before = this.#consumed;
    this.#consumed = this.#readers.size === 0 ? Number.POSITIVE_INFINITY : Math.min(...this.#readers.values());
    if (this.#consumed - before < KEEP_EVENTS) {
      for (let position = before + 1; position <= this.#consumed; position++) this.#drop(placeOf(position));
    } else {
      for (const place of this.#events.keys()) this.#drop(place);
    }
    for (const [from, position] of this.#over) {
      if (position > this.#consumed) break;
      this.#over.delete(from);
    }
  }

  /** What is in this place, when every reader is past it. */
  #drop(place: number): void {
    const event = this.#events[place];
    if (!event || event.position > this.#consumed) return;
    this.#events[place] = undefined;
    this.#size--;
  }
}
