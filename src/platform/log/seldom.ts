/** The same is told once in so long. Milliseconds. */
const TELL_EVERY_MS = 60_000;
/** What differs each time must not fill the memory. */
const MOST_KINDS = 10;

/** Keeps what comes again and again from filling the log: each kind is told once a minute. */
export class Seldom {
  /** Milliseconds, on a clock that never jumps. */
  readonly #now: () => number;
  /** When each was told last, and how often it came since; latest last. */
  readonly #kinds = new Map<string, { toldAt: number; untold: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How often this kind has come without being told, if it is to be told now; else null. */
  due(kind: string): number | null {
    const known = this.#kinds.get(kind);
    if (known && this.#now() - known.toldAt < TELL_EVERY_MS) {
      known.untold++;
      return null;
    }
    this.#kinds.delete(kind);
    this.#kinds.set(kind, { toldAt: this.#now(), untold: 0 });
    for (const oldest of this.#kinds.keys()) {
      if (this.#kinds.size <= MOST_KINDS) break;
      this.#kinds.delete(oldest);
    }
    return known?.untold ?? 0;
  }
}
