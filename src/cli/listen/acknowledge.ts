import { untilBack } from '../connection/until-back.ts';
import type { Listening } from './temporary-endpoint.ts';

/**
 * Says to the service what was taken. It knows one place, up to which everything was: so with the first webhook that was
 * not taken it stays where it is, and everything behind it can be read again.
 */
export class Acknowledger {
  /** The last webhook up to which all were taken; null: none yet. */
  cursor: string | null = null;
  readonly #listening: Listening;
  readonly #all: boolean;
  #isStuck = false;

  /** `all`: whatever became of them. */
  constructor(listening: Listening, all: boolean) {
    this.#listening = listening;
    this.#all = all;
  }

  /** Gives whether it stays here from now on. */
  async take(cursor: string, isTaken: boolean): Promise<boolean> {
    if (this.#isStuck) return false;
    if (!isTaken && !this.#all) return (this.#isStuck = true);
    await untilBack(() => this.#listening.calls.ack(this.#listening.id, cursor));
    this.cursor = cursor;
    return false;
  }
}
