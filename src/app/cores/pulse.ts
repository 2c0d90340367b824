/** A process is asked for a sign of life so often. Milliseconds. */
export const PULSE_EVERY_MS = 5000;
/** With so many unanswered questions it hangs: no work of one turn of the event loop takes a quarter of a minute. */
const UNANSWERED_MAX = 4;

/**
 * Whether a process still turns its event loop. What counts is how often it was asked in vain, and not the time: whoever asks may
 * itself have been stopped for an hour together with it, and asks nothing meanwhile.
 */
export class Pulse {
  #unanswered = 0;

  /** Called when it is about to be asked again; true when it has left too many questions unanswered. */
  hangs(): boolean {
    if (this.#unanswered >= UNANSWERED_MAX) return true;
    this.#unanswered++;
    return false;
  }

  answered(): void {
    this.#unanswered = 0;
  }
}
