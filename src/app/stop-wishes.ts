import { monotonicNow } from '../lib/clock.ts';
import { isStartedByNpm } from '../platform/config/index.ts';

/** npm passes a signal on that the group has had from the terminal or a service manager: within so long both are here. Milliseconds. */
const SAME_WISH_MS = 1000;

/** The signals by which a process is asked to stop. */
export class StopWishes {
  #firstAt: number | null = null;
  #wasAgain = false;

  /**
   * What the signal that has just come is: the `first`, the same wish `again` (once), or a `second`, after which nobody wants to wait. npm gives the program
   * that it started each signal once more where no shell is between them, as where `sh` is bash.
   */
  hear(): 'first' | 'again' | 'second' {
    const now = monotonicNow();
    if (this.#firstAt === null) {
      this.#firstAt = now;
      return 'first';
    }
    const isAgain = isStartedByNpm() && !this.#wasAgain && now - this.#firstAt < SAME_WISH_MS;
    this.#wasAgain ||= isAgain;
    return isAgain ? 'again' : 'second';
  }
}
