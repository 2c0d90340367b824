import type { Db } from '../../../platform/db/index.ts';
import { type EventRef, existingDeliveries, keyOf } from './delivery-store.ts';

/** Events that are known at most: parts that are far from each other would keep all that lies between them. */
const MOST_EVENTS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Which deliveries have a row of events that may have been fanned out before, by another node or by this one. Each event is looked up
 * once, however few of a reading there is room for at a time: while a node holds what it holds, nobody else writes
 * first rows of these events, and itself none without passing them.
 */
export class Recovered {
  readonly #db: Db;
  /** Of the holdings: with another one others may have written since. */
  #epoch: number | null = null;
  /** By position of the event. */
  readonly #found = new Map<number, ReadonlySet<string>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Forgets all that was found in another epoch. */
  keep(epoch: number | null): void {
    if (epoch !== this.#epoch) this.#found.clear();
    this.#epoch = epoch;
  }

  /**
   * Looks these events up, in the order of the log, unless the first of them is known; returns the position up to which they are now. So a
   * reader that moves on by a dozen through what is in memory has hundreds looked up at once, and not a dozen each time.
   */
  async lookUp(epoch: number | null, events: readonly EventRef[]): Promise<number> {
    this.keep(epoch);
    const [first] = events;
    if (first && !this.#found.has(first.position)) {
      if (this.#found.size > MOST_EVENTS) this.#found.clear();
      const found = await existingDeliveries(this.#db, events);
      for (const { position } of events) this.#found.set(position, found.get(position) ?? NONE);
    }
    const unknown = events.findIndex(({ position }) => !this.#found.has(position));
    return unknown < 0 ? Number.POSITIVE_INFINITY : (events[unknown - 1] as EventRef).position;
  }

  /** Whether the event's delivery to this endpoint has a row. */
  has(position: number, endpointId: string, webhook: string): boolean {
    return this.#found.get(position)?.has(keyOf(endpointId, webhook)) === true;
  }

  /** All of its readers are past these events. What is forgotten too early is looked up again. */
  passed(upTo: number): void {
    for (const position of this.#found.keys()) if (position <= upTo) this.#found.delete(position);
  }
}
