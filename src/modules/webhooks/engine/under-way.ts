import { hasSlot, type Part, SLOTS, slotOf } from '../../events/index.ts';
import type { Ticket } from './types.ts';

/** How many tickets this process has taken on whose outcomes are not written, by the slot of their account. */
export class UnderWay {
  readonly #bySlot = new Int32Array(SLOTS);

  begin({ endpoint }: Ticket): void {
    this.#bySlot[slotOf(endpoint.accountId)]!++;
  }

  /** Its outcome is written, or nothing is to be written of it. */
  end({ endpoint }: Ticket): void {
    this.#bySlot[slotOf(endpoint.accountId)]!--;
  }

  /** Of the accounts of a part. */
  of(part: Part): number {
    return this.#bySlot.reduce((sum, n, slot) => (hasSlot(part, slot) ? sum + n : sum), 0);
  }
}
