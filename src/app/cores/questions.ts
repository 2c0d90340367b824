/** Questions over a channel that only carries messages, and their answers, found again by their ids. */
export class Questions<Answer> {
  readonly #timeoutMs: number;
  readonly #open = new Map<number, (answer: Answer | null) => void>();
  #lastId = 0;

  /** `timeoutMs`: longest wait for an answer. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Has the question sent with its id; null when no answer came in time. */
  ask(send: (id: number) => void): Promise<Answer | null> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    const timer = setTimeout(() => this.answered(id, null), this.#timeoutMs);
    this.#open.set(id, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    send(id);
    return promise;
  }

  /** An answer came, or none (null). One that comes too late, or twice, is nothing. */
  answered(id: number, answer: Answer | null): void {
    const done = this.#open.get(id);
    this.#open.delete(id);
    done?.(answer);
  }
}
