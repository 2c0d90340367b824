import type { TestContext } from 'node:test';

/** Timers and the monotonic clock in the test's hand, for the length of one test. Nothing passes by itself. */
export class VirtualTime {
  readonly #test: TestContext;
  #now = 0;

  constructor(t: TestContext) {
    this.#test = t;
    // Not by a mock, which keeps every call: there are millions of them.
    Object.defineProperty(performance, 'now', { value: () => this.#now, configurable: true });
    t.after(() => Reflect.deleteProperty(performance, 'now'));
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  }

  get now(): number {
    return this.#now;
  }

  /** Lets so many milliseconds pass, in steps, and whatever they bring about happen. */
  async pass(ms: number, step = 10): Promise<void> {
    for (const end = this.#now + ms; this.#now < end; ) {
      const by = Math.min(step, end - this.#now);
      this.#now += by;
      this.#test.mock.timers.tick(by);
      await new Promise((done) => setImmediate(done));
    }
  }
}
