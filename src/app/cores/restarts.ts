/** Wait before the second start in a row; doubled with each further one. Milliseconds. */
const FIRST_WAIT_MS = 500;
/** Milliseconds. */
export const LONGEST_WAIT_MS = 10_000;
/** A process that was ready for so long has nothing to do with what ended the one before it. Milliseconds. */
const WELL_AFTER_MS = 60_000;
/** Starts that end before the process is ready, in a row; after so many it is the machine or the settings. */
const VAIN_STARTS = 5;

/** How one process came to its ends, and when it is started again. */
export class Restarts {
  #inRow = 0;
  #inVain = 0;

  /**
   * It has ended without having been asked to.
   *
   * @param readyMs for how long it was ready; null when it never was
   * @returns milliseconds to wait before it is started again; null: give up
   */
  ended(readyMs: number | null): number | null {
    if (readyMs !== null && readyMs >= WELL_AFTER_MS) this.#inRow = 0;
    this.#inVain = readyMs === null ? this.#inVain + 1 : 0;
    if (this.#inVain >= VAIN_STARTS) return null;
    const before = this.#inRow++;
    // The first time at once: whoever was connected to it is connecting again now.
    return before === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (before - 1), LONGEST_WAIT_MS);
  }
}
