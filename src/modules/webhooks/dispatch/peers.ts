import { monotonicNow } from '../../../lib/clock.ts';

/** A worker that said nothing for so long is not counted on. Milliseconds. */
const GONE_MS = 3000;

/** The other workers, as they tell of themselves every second. */
export class Peers {
  readonly #self: string;
  readonly #heard = new Map<string, { slots: number; at: number }>();

  constructor(self: string) {
    this.#self = self;
  }

  here(node: string, slots: number): void {
    if (node !== this.#self) this.#heard.set(node, { slots, at: monotonicNow() });
  }

  isThere(node: string): boolean {
    return node === this.#self || this.#heard.has(node);
  }

  /** Forgets who was not heard of; once a second. */
  sweep(): void {
    const now = monotonicNow();
    for (const [node, { at }] of this.#heard) if (now - at > GONE_MS) this.#heard.delete(node);
  }

  /** How many there are besides this one. */
  get count(): number {
    return this.#heard.size;
  }

  /** Attempts that they take at once, all together. */
  get slots(): number {
    return this.#heard.values().reduce((sum, { slots }) => sum + slots, 0);
  }
}
