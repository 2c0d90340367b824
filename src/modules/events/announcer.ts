import { monotonicNow } from '../../lib/clock.ts';
import { pauseOf } from './log-source.ts';

/** So long may their number be another one before the pause follows it. Milliseconds. */
const HOLDERS_KNOWN_MS = 10_000;

export interface AnnouncerOptions {
  /** Tells the other processes that the log has grown. */
  announce: () => void;
  /** How many nodes read the log for a share of the accounts each. */
  countHolders: () => Promise<number>;
  /** The monotonic clock. Milliseconds. */
  now?: () => number;
}

/**
 * Tells other processes of new events: of the first at once, and of what is committed in the pause after it once, at its end. The
 * pause is that of the fan-out of a node with its share of the accounts: to be woken oftener would not have it read oftener, and each of
 * eight workers was woken for every commit. Reactions of other processes, which have no pause of their own, wait as long.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #now: () => number;
  #holders = 1;
  #countedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#now = options.now ?? monotonicNow;
  }

  /** Events were committed by this process. */
  appended(): void {
    if (this.#timer !== undefined) return;
    this.#count();
    const left = this.#toldAt + (this.#holders > 1 ? pauseOf(1 / this.#holders) : 0) - this.#now();
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
    this.#toldAt = this.#now();
    this.#options.announce();
  }

  #count(): void {
    const now = this.#now();
    if (now - this.#countedAt < HOLDERS_KNOWN_MS) return;
    this.#countedAt = now;
    this.#options.countHolders().then(
      (holders) => (this.#holders = holders),
      // It stays what it was.
      () => undefined,
    );
  }
}
