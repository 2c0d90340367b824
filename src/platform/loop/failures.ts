import type { Log } from '../log/log.ts';
import { Seldom } from '../log/seldom.ts';

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
  readonly #kinds: Seldom;
  /** Since when it fails, and how often it has; null: it works. */
  #failing: { from: number; failures: number; isTold: boolean } | null = null;

  constructor(loop: string, log: Log, now: () => number) {
    this.#loop = loop;
    this.#log = log;
    this.#now = now;
    this.#kinds = new Seldom(now);
  }

  /** A step has failed. */
  failed(error: unknown): void {
    const failing = (this.#failing ??= { from: this.#now(), failures: 0, isTold: false });
    failing.failures++;
    const untold = this.#kinds.due(kindOf(error));
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
}
