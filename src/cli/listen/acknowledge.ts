import { untilBack } from '../connection/until-back.ts';
import type { Listening } from './temporary-endpoint.ts';

/** What is acknowledged: what the receiver took, whatever became of it, or nothing. */
export type Acknowledged = 'TAKEN' | 'ALL' | 'NOTHING';

/**
 * Says to the service what was taken. It knows one place, up to which everything was: so with the first webhook that was
 * not taken it stays where it is, and everything behind it can be read again.
 */
export class Acknowledger {
  /** The last webhook up to which all were taken; null: none yet. */
  cursor: string | null = null;
  readonly #listening: Listening;
  readonly #what: Acknowledged;
  #isStuck = false;

  constructor(listening: Listening, what: Acknowledged) {
    this.#listening = listening;
    this.#what = what;
  }

  /** Gives whether it stays here from now on. */
  async take(cursor: string, isTaken: boolean): Promise<boolean> {
    if (this.#isStuck || this.#what === 'NOTHING') return false;
    if (!isTaken && this.#what !== 'ALL') return (this.#isStuck = true);
    await untilBack(() => this.#listening.calls.ack(this.#listening.id, cursor));
    this.cursor = cursor;
    return false;
  }
}
