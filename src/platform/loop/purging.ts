import { type Db, databaseTime } from '../db/index.ts';
import type { Loop } from './loop.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 10 * 60_000;
/** Rows per step: a delete that takes some milliseconds. */
const PORTION = 2000;

export interface Purging {
  name: string;
  db: Db;
  /** 0: for ever. */
  days: number;
  /** Removes at most so many of what ended before; how many. */
  remove: (before: Date, portion: number) => Promise<number>;
}

/** Removes what is past its days, portion by portion, by the database's clock: a node's that jumps must not remove anything. */
export const purging = ({ name, db, days, remove }: Purging): Loop => ({
  name,
  everyMs: EVERY_MS,
  async step() {
    if (days === 0) return false;
    const before = new Date((await databaseTime(db)) - days * DAY_MS);
    return (await remove(before, PORTION)) === PORTION;
  },
});
