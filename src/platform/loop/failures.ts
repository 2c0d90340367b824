import type { Log } from '../log/log.ts';

/** The same error of a loop is told once in so long. Milliseconds. */
const TELL_EVERY_MS = 60_000;
/** Errors whose messages all differ must not fill the memory. */
const MOST_KINDS = 10;

/** What makes an error the same as another one, as who reads the log sees it. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as Error & { code?: unknown };
  return `${error.name} ${String(code)} ${error.message}`;
}

/**
 * Tells of a loop that fails, and that it works again. A database that is away fails each step of some twenty loops, ten times a second at first:
 * the first failure is told with its error, the same one again once a minute with how often it came since. One that works and fails in turn
 * has no more lines than that: it works again only where it was told to fail.
 */
export class LoopFailures {
  readonly #loop: string;
  readonly #log: Log;
  /** Milliseconds, on a clock that never jumps. */
  readonly #now: () => number;
  /** When each error was told last, and how often it came since; latest last. */
  readonly #kinds = new Map<string, { toldAt: number; untold: number }>();
  /** Since when it fails, and how often it has; null: it works. */
  #failing: { from: number; failures: number; isTold: boolean } | null = null;

  constructor(loop: string, log: Log, now: () => number) {
    this.#loop = loop;
    this.#log = log;
    this.#now = now;
  }

  /** A step has failed. */
  failed(error: unknown): void {
    const failing = (this.#failing ??= { from: this.#now(), failures: 0, isTold: false });
    failing.failures++;
    const untold = this.#tell(kindOf(error));
    if (untold === null) return;
    failing.isTold = true;
    this.#log.error(
      { err: error, loop: this.#loop, ...(untold === 0 ? {} : { untold }) },
      'a step of a background loop failed; it is tried again',
    );
  }

  /** A step has not failed. */
  worked(): void {
    if (this.#failing === null) return;
    const { from, failures, isTold } = this.#failing;
    this.#failing = null;
    if (!isTold) return;
    const forMs = Math.round(this.#now() - from);
    this.#log.info({ loop: this.#loop, failures, forMs }, 'a background loop works again');
  }

  /** How often this error has come without being told, if it is to be told now; else null. */
  #tell(kind: string): number | null {
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
