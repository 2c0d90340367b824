import { createHash } from 'node:crypto';
import type { Db } from '../../../platform/db/index.ts';
import { type Seal, selectStored } from './store.ts';

/** Events that are in memory at once. */
const PORTION_EVENTS = 200;

/** What the first seal follows. */
export const NO_SEAL: Seal = { number: 0, firstPosition: 0, lastPosition: 0, events: 0, hash: '' };

/**
 * The seal of what is stored from behind the seal before up to a position. The canonical text that is hashed: a line with
 * a JSON array of number, hash before, first and last position, then a line for each event with a JSON array of all its
 * columns as text (see selectStored).
 */
export async function computeSeal(db: Db, previous: Seal, lastPosition: number): Promise<Seal> {
  const number = previous.number + 1;
  const firstPosition = previous.lastPosition + 1;
  const hash = createHash('sha256');
  const add = (line: unknown): unknown => hash.update(`${JSON.stringify(line)}\n`);
  add([number, previous.hash, firstPosition, lastPosition]);
  let events = 0;
  // No position is below 1, and what somebody put there must not escape.
  for (let above = number === 1 ? Number.MIN_SAFE_INTEGER : previous.lastPosition; ; ) {
    const rows = await selectStored(db, { above, upTo: lastPosition, limit: PORTION_EVENTS });
    for (const row of rows) add(row);
    events += rows.length;
    if (rows.length < PORTION_EVENTS) return { number, firstPosition, lastPosition, events, hash: hash.digest('hex') };
    above = rows.at(-1)?.[0] as number;
  }
}
