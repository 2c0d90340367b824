import { monotonicNow } from '../../../lib/clock.ts';
import type { Log } from '../../../platform/log/log.ts';
import { noOutcomes, writeFault, writeOutcome } from '../engine/thread-messages.ts';
import type { AttemptOutcome } from '../engine/types.ts';
import { writeQuestion } from './messages.ts';

/** For so long is a holder that does not answer told of its outcomes again. Milliseconds. */
const TELL_MS = 30_000;
const TELL_AGAIN_MS = 250;

/** What the outbox needs. */
export interface OutboxDeps<T> {
  /** Bytes of the longest message. */
  maxBytes: () => number;
  /** Who makes the attempts. */
  worker: string;
  ask: (from: string, data: Uint8Array) => Promise<Uint8Array>;
  /** The holder has heard of one attempt of it; or it has not, and is not told again. */
  told: (about: T) => void;
  untold: (about: T) => void;
  /** Nothing is left to be told. */
  idle: () => void;
  log: Log;
}

/** One attempt to tell of: an outcome, or null when it cannot be made here. */
interface Item<T> {
  about: T;
  id: number;
  outcome: AttemptOutcome | Error | null;
}

/** Tells holders how attempts have ended: whatever ends in one turn of the event loop in one message, until it is heard. */
export class Outbox<T extends { from: string }> {
  readonly #deps: OutboxDeps<T>;
  readonly #items = new Map<string, Item<T>[]>();
  #telling = 0;

  constructor(deps: OutboxDeps<T>) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#telling === 0 && this.#items.size === 0;
  }

  outcome(about: T, id: number, outcome: AttemptOutcome): void {
    this.#add({ about, id, outcome });
  }

  /** Our own code failed on it. */
  fault(about: T, id: number, message: string): void {
    this.#add({ about, id, outcome: new Error(message) });
  }

  /** It cannot be made here. */
  back(about: T, id: number): void {
    this.#add({ about, id, outcome: null });
  }

  #add(item: Item<T>): void {
    const { from } = item.about;
    const items = this.#items.get(from);
    if (items) {
      items.push(item);
      return;
    }
    this.#items.set(from, [item]);
    setImmediate(() => {
      const all = this.#items.get(from) ?? [];
      this.#items.delete(from);
      this.#tell(from, all);
    });
  }

  #tell(from: string, items: readonly Item<T>[]): void {
    const data = this.#write(items);
    if (data.length > this.#deps.maxBytes()) {
      const half = items.length >> 1;
      if (half > 0) for (const some of [items.slice(0, half), items.slice(half)]) this.#tell(from, some);
      else this.#tell(from, items.map(withoutLog));
      return;
    }
    this.#telling++;
    void this.#untilHeard(from, data).then((isHeard) => {
      for (const { about } of items) {
        if (isHeard) this.#deps.told(about);
        else this.#deps.untold(about);
      }
      this.#telling--;
      this.#deps.idle();
    });
  }

  #write(items: readonly Item<T>[]): Uint8Array {
    const outcomes = noOutcomes();
    const back: number[] = [];
    for (const { id, outcome } of items) {
      if (outcome === null) back.push(id);
      else if (outcome instanceof Error) writeFault(outcomes, id, outcome.message.slice(0, 1000));
      else writeOutcome(outcomes, id, outcome);
    }
    return writeQuestion({ kind: 'outcomes', worker: this.#deps.worker, outcomes, back });
  }

  async #untilHeard(from: string, data: Uint8Array): Promise<boolean> {
    const begunAt = monotonicNow();
    while (monotonicNow() - begunAt < TELL_MS) {
      try {
        await this.#deps.ask(from, data);
        return true;
      } catch {
        await new Promise((done) => setTimeout(done, TELL_AGAIN_MS));
      }
    }
    this.#deps.log.warn(
      { holder: from },
      'the outcomes of attempts could not be told: who wanted them does not answer',
    );
    return false;
  }
}

/** The attempt counts, though what was said does not fit into a message. */
function withoutLog<T>(item: Item<T>): Item<T> {
  const { outcome } = item;
  if (outcome === null || outcome instanceof Error || outcome.log === null) return item;
  const { attempt, at, durationMs, errorClass } = JSON.parse(outcome.log) as Record<string, unknown>;
  const errorMessage = 'what was sent and what came back did not fit into a message of NATS';
  const short = {
    signature: '',
    standardSignature: '',
    responseStatus: null,
    responseHeaders: null,
    responseBody: null,
  };
  return {
    ...item,
    outcome: { ...outcome, log: JSON.stringify({ attempt, at, durationMs, ...short, errorClass, errorMessage }) },
  };
}
