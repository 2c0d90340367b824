import { monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { type Piece, remainsOf, removeFirst } from './removing-store.ts';

/**
 * While a file goes, whoever commits waits longer for the disk: 0.2 to 0.3 s for each gigabyte with waits of 40 to 70 ms (measured on ext4). At this
 * pace that is half a percent of the time, so that 99 of 100 deliveries do not see it. Milliseconds.
 */
const MS_PER_GIGABYTE = 60_000;
/** So much goes without a rest. Bytes. */
const AT_ONCE = 128_000_000;
/** What somebody reads is tried again so much later. Milliseconds. */
const READ_MS = 600_000;

export interface RemovalDeps {
  db: Db;
  log: Log;
  /** For tests: how much goes at once, and the rest after each gigabyte. */
  atOnce?: number;
  msPerGigabyte?: number;
}

const bytesOf = (pieces: readonly Pick<Piece, 'bytes'>[]): number => pieces.reduce((sum, { bytes }) => sum + bytes, 0);

function without(pieces: readonly Piece[], others: readonly Piece[]): Piece[] {
  const names = new Set(others.map(({ name }) => name));
  return pieces.filter(({ name }) => !names.has(name));
}

/**
 * Removes what was taken off and of which nothing is kept, in pieces: indexes by themselves before their table, after each so long a rest as it was large.
 * All nodes keep one pace: what another has removed since the last look is rested after as well.
 */
export class Removal {
  readonly #deps: RemovalDeps;
  /** What was there at the last look. */
  #seen: readonly Piece[] = [];
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Tables that somebody read, each with when it is tried again, on the monotonic clock. */
  readonly #read = new Map<string, number>();

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /** What may go now. To be asked again every few seconds. */
  async step(): Promise<void> {
    const { db, atOnce = AT_ONCE } = this.#deps;
    const remains = await remainsOf(db);
    this.#rest(without(this.#seen, remains));
    // Nor do all nodes begin with what is large: whoever looks first a second time does, and the others see that.
    if (bytesOf(without(remains, this.#seen)) > atOnce) this.#rest([{ bytes: atOnce }]);
    this.#seen = remains;
    if (monotonicNow() < this.#restsUntil) return;
    const removed: Piece[] = [];
    /** What others have made of these tables (a view) keeps them, and no other, from being removed. */
    const faulty = new Map<string, unknown>();
    for (let piece = this.#next(faulty); piece && bytesOf(removed) < atOnce; piece = this.#next(faulty)) {
      const others = this.#seen.filter((other) => other !== piece);
      try {
        const result = await removeFirst(db, [piece, ...others]);
        if (result === 'by another') break;
        if (result === 'is read') this.#leave(piece.table);
        else {
          removed.push(piece);
          this.#seen = others;
        }
      } catch (error) {
        faulty.set(piece.table, error);
      }
    }
    this.#rest(removed);
    for (const error of faulty.values()) throw error;
  }

  /** Whoever reads one keeps that one, and no other, from being removed. */
  #next(faulty: ReadonlyMap<string, unknown>): Piece | undefined {
    const isReadStill = (table: string): boolean =>
      (this.#read.get(table) ?? Number.NEGATIVE_INFINITY) > monotonicNow();
    return this.#seen.find(({ table }) => !faulty.has(table) && !isReadStill(table));
  }

  #leave(table: string): void {
    const names = new Set(this.#seen.map((piece) => piece.table));
    for (const name of this.#read.keys()) if (!names.has(name)) this.#read.delete(name);
    this.#read.set(table, monotonicNow() + READ_MS);
    this.#deps.log.info({ table }, 'deliveries that were taken off are being read; they are removed later');
  }

  #rest(after: readonly Pick<Piece, 'bytes'>[]): void {
    const { msPerGigabyte = MS_PER_GIGABYTE } = this.#deps;
    const until = monotonicNow() + (bytesOf(after) / 1e9) * msPerGigabyte;
    if (after.length > 0) this.#restsUntil = Math.max(this.#restsUntil, until);
  }
}
