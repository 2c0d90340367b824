import { monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import { selectTaken } from './store.ts';

/** An answer is that of everybody who asks within this time of the question. Milliseconds. */
const ANSWER_MS = 500;

/**
 * Whose leases other nodes have, for all readers of this process together: of eight workers each asked for each of its reactions
 * twice a second, ten of the twenty statements of one that had nothing to do (measured).
 */
export class TakenReaders {
  readonly #db: Db;
  readonly #nodeId: string;
  #names: Promise<ReadonlySet<string>> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, nodeId: string) {
    this.#db = db;
    this.#nodeId = nodeId;
  }

  /** Whether another node had this reader's lease half a second ago or later. Throws what the database throws when it is away. */
  async has(name: string): Promise<boolean> {
    const now = monotonicNow();
    if (this.#names === null || now - this.#askedAt >= ANSWER_MS) {
      this.#askedAt = now;
      const names = selectTaken(this.#db, this.#nodeId);
      this.#names = names;
      // Who comes next asks again.
      names.catch(() => this.#names === names && (this.#names = null));
    }
    return (await this.#names).has(name);
  }
}
