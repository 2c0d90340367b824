/**
 * What is to be expected of an endpoint's requests: TRUSTED ones end soon; a STRANGER's have yet to show it; those of a
 * SUSPECT hang or are late.
 */
export type Standing = 'TRUSTED' | 'STRANGER' | 'SUSPECT';

/** What holds slots. */
export interface Holder {
  readonly standing: Standing;
  readonly inFlight: number;
}

/**
 * The requests that a process may have under way, and who has them. Suspects have half of them at most, strangers a quarter,
 * and both together three quarters: however many endpoints hang, the last quarter is for those that answer, and a
 * crowd of strangers cannot take everything before it is known to hang.
 */
export class Slots {
  readonly #size: () => number;
  readonly #taken: Record<Standing, number> = { TRUSTED: 0, STRANGER: 0, SUSPECT: 0 };
  #inFlight = 0;

  /** `size` may change: with it workers come and go (docs/adr/0036). */
  constructor(size: () => number) {
    this.#size = size;
  }

  get size(): number {
    return this.#size();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Half of the slots are taken: from here on not everybody gets all it may have. */
  get isScarce(): boolean {
    return this.#inFlight * 2 >= this.size;
  }

  /** Whether there is none left for the likes of it. */
  isFullFor(standing: Standing): boolean {
    const { STRANGER, SUSPECT } = this.#taken;
    if (this.#inFlight >= this.size) return true;
    if (standing === 'SUSPECT') return SUSPECT * 2 >= this.size;
    return standing === 'STRANGER' && (STRANGER * 4 >= this.size || (STRANGER + SUSPECT) * 4 >= this.size * 3);
  }

  begin(standing: Standing): void {
    this.#inFlight++;
    this.#taken[standing]++;
  }

  /** A request of this one has ended, after which `holder` may be seen otherwise. */
  end(before: Standing, holder: Holder): void {
    this.#inFlight--;
    this.#taken[before]--;
    const { standing, inFlight } = holder;
    if (standing === before) return;
    this.#taken[before] -= inFlight;
    this.#taken[standing] += inFlight;
  }

  /** Sees everybody anew: requests become late by time alone. */
  recount(holders: Iterable<Holder>): void {
    this.#taken.TRUSTED = this.#taken.STRANGER = this.#taken.SUSPECT = 0;
    for (const { standing, inFlight } of holders) this.#taken[standing] += inFlight;
  }
}
