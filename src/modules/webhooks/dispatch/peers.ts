import { monotonicNow } from '../../../lib/clock.ts';

/** A worker that said nothing for so long is not counted on. Milliseconds. */
export const GONE_MS = 4000;
/** It is asked with each attempt who is there. Milliseconds. */
const LOOK_MS = 20;

interface Peer {
  slots: number;
  isFull: boolean;
  /** When it was heard of last. On the monotonic clock, milliseconds. */
  at: number;
}

/** The other workers, as they tell of themselves every second. */
export class Peers {
  readonly #self: string;
  readonly #heard = new Map<string, Peer>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(self: string) {
    this.#self = self;
  }

  /** It is there, and makes so many attempts at once; `isFull`: it has more of its own than it has room for. */
  here(node: string, slots: number, isFull = false): void {
    if (node !== this.#self) this.#heard.set(node, { slots, isFull, at: monotonicNow() });
  }

  /** It takes no more. */
  gone(node: string): void {
    this.#heard.delete(node);
  }

  /** Whether it was heard of lately. */
  isThere(node: string): boolean {
    return this.#present().has(node);
  }

  /** How many there are besides this one. */
  get count(): number {
    return this.#present().size;
  }

  /** Attempts that they make at once, all together. */
  get slots(): number {
    return this.#slotsOf(() => true);
  }

  /** Of these, those of workers that have room. */
  get roomySlots(): number {
    return this.#slotsOf(({ isFull }) => !isFull);
  }

  #slotsOf(fits: (peer: Peer) => boolean): number {
    let sum = 0;
    for (const peer of this.#present().values()) if (fits(peer)) sum += peer.slots;
    return sum;
  }

  #present(): ReadonlyMap<string, Peer> {
    const now = monotonicNow();
    if (now - this.#lookedAt < LOOK_MS) return this.#heard;
    this.#lookedAt = now;
    for (const [node, { at }] of this.#heard) if (now - at > GONE_MS) this.#heard.delete(node);
    return this.#heard;
  }
}
