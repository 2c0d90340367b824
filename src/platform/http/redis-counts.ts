import type { RedisClientType } from '@redis/client';
import { monotonicNow } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';

/** Redis answers in well under a millisecond; one that takes this long is as good as away. Milliseconds. */
const WAIT_MS = 250;
/** After a failure each process counts for itself at least this long. Milliseconds. */
const REST_MS = 1000;
/** One that has counted for so long since it failed is told to count again: of one that fails now and then only the first failure is. Milliseconds. */
const SOUND_AFTER_MS = 60_000;

/** It was not answered in time. */
class Late extends Error {
  constructor() {
    super('Redis does not answer');
  }
}

/**
 * Asks Redis for all limits of this process. One that is connected and hangs, or refuses (it is full, or a replica), would else make
 * each request wait, and leave each question in memory.
 */
export class RedisCounts {
  readonly client: RedisClientType;
  readonly #log: Log;
  readonly #monotonic: () => number;
  /** Questions that were not answered in time, and have not been since. */
  #late = 0;
  #restsUntil = 0;
  #isTold = false;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** `monotonic`: milliseconds of a clock that never jumps. */
  constructor(client: RedisClientType, log: Log, monotonic: () => number = monotonicNow) {
    this.client = client;
    this.#log = log;
    this.#monotonic = monotonic;
  }

  /** Whether it may be asked: it is connected, has answered everything, and has not failed a moment ago. */
  get isSound(): boolean {
    return this.client.isReady && this.#late === 0 && this.#monotonic() >= this.#restsUntil;
  }

  /** Gives or throws what Redis answers, and an Error when it fails or does not answer in time. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    const answer = question();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, fail) => {
      // Where this process itself was held up, the answer lies there already, and is read before this comes round again.
      timer = setTimeout(() => setImmediate(() => fail(new Late())), WAIT_MS);
    });
    try {
      const given = await Promise.race([answer, late]);
      this.#succeed();
      return given;
    } catch (refused) {
      // What is no Error is the answer "over the limit".
      if (refused instanceof Late) this.#waitFor(answer);
      if (refused instanceof Error) this.#fail(refused);
      else this.#succeed();
      throw refused;
    } finally {
      clearTimeout(timer);
    }
  }

  #waitFor(answer: Promise<unknown>): void {
    this.#late++;
    const settle = (): void => void this.#late--;
    void answer.then(settle, settle);
  }

  #succeed(): void {
    if (!this.#isTold || this.#monotonic() - this.#failedAt < SOUND_AFTER_MS) return;
    this.#log.info('Redis counts again; rate limits are shared');
    this.#isTold = false;
  }

  #fail(error: Error): void {
    this.#failedAt = this.#monotonic();
    this.#restsUntil = this.#failedAt + REST_MS;
    // A connection that was lost is told of by whoever opens it again.
    if (!this.client.isReady || this.#isTold) return;
    this.#log.warn({ err: error }, 'Redis does not count; this node counts rate limits for itself');
    this.#isTold = true;
  }
}
