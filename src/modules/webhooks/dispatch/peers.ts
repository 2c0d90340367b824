import { monotonicNow } from '../../../lib/clock.ts';

/** A worker that said nothing for so long is not counted on. Milliseconds. */
export const GONE_MS = 4000;
/** It is asked with each attempt who is there. Milliseconds. */
const LOOK_MS = 20;

/** The other workers, as they tell of themselves every second. */
export class Peers {
  readonly #self: string;
  readonly #heard = new Map<string, { slots: number; at: number }>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(self: string) {
    this.#self = self;
  }

  /** It is there, and makes so many attempts at once. */
  here(node: string, slots: number): void {
    if (node !== this.#self) this.#heard.set(node, { slots, at: monotonicNow() });
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
    return this.#present()
      .values()
      .reduce((sum, { slots }) => sum + slots, 0);
  }

  #present(): ReadonlyMap<string, { slots: number }> {
    const now = monotonicNow();
    if (now - this.#lookedAt < LOOK_MS) return this.#heard;
    this.#lookedAt = now;
    for (const [node, { at }] of this.#heard) if (now - at > GONE_MS) this.#heard.delete(node);
    return this.#heard;
  }
}
