/** Those who wait for a server, so that they can all be told that it will not answer. */
export class Waiting {
  readonly #refusals = new Set<(error: Error) => void>();

  /** What `promise` gives, unless `ms` pass before (undefined: any time) or all are given up; throws `late` then, or what `giveUp` was told. */
  async for<T>(promise: Promise<T>, ms?: number, late?: Error): Promise<T> {
    // Not a race with a promise that lives long: it would keep every answer.
    const { promise: given, resolve, reject } = Promise.withResolvers<T>();
    const timer = ms === undefined ? undefined : setTimeout(reject, ms, late);
    this.#refusals.add(reject);
    promise.then(resolve, reject);
    try {
      return await given;
    } finally {
      clearTimeout(timer);
      this.#refusals.delete(reject);
    }
  }

  giveUp(error: Error): void {
    for (const refuse of this.#refusals) refuse(error);
  }
}
