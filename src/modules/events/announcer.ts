import { monotonicNow } from '../../lib/clock.ts';
import { pauseOf } from './log-source.ts';

/** So long may the number of nodes be another one before the pause follows it. Milliseconds. */
const NODES_KNOWN_MS = 10_000;

export interface AnnouncerOptions {
  /** Tells the other processes that the log has grown. */
  announce: () => void;
  /** How many nodes read the log by parts. */
  countNodes: () => Promise<number>;
}

/**
 * Tells other processes of new events: of the first at once, and of what is committed in the pause after it once, at its end. The
 * pause is that of a reader whose share is one node's of all: to be woken oftener would not have it read oftener, and with eight
 * workers a wake-up of each for every commit cost more than the reading (measured).
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #nodes = 1;
  #countedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Events were committed by this process. */
  appended(): void {
    if (this.#timer !== undefined) return;
    this.#count();
    const left = this.#toldAt + (this.#nodes > 1 ? pauseOf(1 / this.#nodes) : 0) - monotonicNow();
    if (left <= 0) this.#tell();
    else this.#timer = setTimeout(() => this.flush(), left).unref();
  }

  /** Tells at once what waits to be told. */
  flush(): void {
    if (this.#timer !== undefined) this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#toldAt = monotonicNow();
    this.#options.announce();
  }

  #count(): void {
    const now = monotonicNow();
    if (now - this.#countedAt < NODES_KNOWN_MS) return;
    this.#countedAt = now;
    this.#options.countNodes().then(
      (nodes) => (this.#nodes = nodes),
      // It stays what it was.
      () => undefined,
    );
  }
}
