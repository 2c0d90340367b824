/** Listeners by topic: the part that all adapters of the bus share. */
export class Subscriptions {
  readonly #byTopic = new Map<string, Set<() => void>>();

  add(topic: string, fn: () => void): () => void {
    const set = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, set.add(fn));
    return () => set.delete(fn);
  }

  emit(topic: string): void {
    for (const fn of this.#byTopic.get(topic) ?? []) fn();
  }

  /** After a connection was lost, anything may have been missed. */
  emitAll(): void {
    for (const topic of this.#byTopic.keys()) this.emit(topic);
  }
}

/**
 * After a message, the next one on the same topic waits this long. A NOTIFY is a commit of its own, and with one per
 * commit of events a quarter of all commits were wake-ups (measured). Milliseconds.
 */
const PAUSE_MS = 10;

/**
 * Sends at most one message per topic at a time; what is published meanwhile is one more message after it. Under load a
 * thousand commits a second become as many wake-ups as the wire takes.
 */
export class Coalescer {
  readonly #send: (topic: string) => Promise<void>;
  readonly #busy = new Map<string, boolean>();

  constructor(send: (topic: string) => Promise<void>) {
    this.#send = send;
  }

  publish(topic: string): void {
    if (this.#busy.has(topic)) {
      this.#busy.set(topic, true);
      return;
    }
    this.#busy.set(topic, false);
    void this.#send(topic)
      .catch(() => undefined)
      .then(() => new Promise((done) => setTimeout(done, PAUSE_MS).unref()))
      .then(() => {
        const again = this.#busy.get(topic) === true;
        this.#busy.delete(topic);
        if (again) this.publish(topic);
      });
  }
}
