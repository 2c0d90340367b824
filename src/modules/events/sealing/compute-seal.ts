import { createHash } from 'node:crypto';
import type { Db } from '../../../platform/db/index.ts';
import { hashStored, type Seal, selectStored } from './store.ts';

/** Events that are in memory at once. */
const PORTION_EVENTS = 200;

/** What the first seal follows. */
export const NO_SEAL: Seal = { number: 0, firstPosition: 0, lastPosition: 0, events: 0, hash: '' };

/** The first line of the text that is hashed: number, hash before, first and last position. */
const headOf = (previous: Seal, lastPosition: number): string =>
  lineOf([previous.number + 1, previous.hash, previous.lastPosition + 1, lastPosition]);
const lineOf = (values: unknown): string => `${JSON.stringify(values)}\n`;

/** No position is below 1, and what somebody put there must not escape. */
const startOf = (previous: Seal): number => (previous.number === 0 ? Number.MIN_SAFE_INTEGER : previous.lastPosition);

/**
 * The seal of what is stored from behind the seal before up to a position. The canonical text that is hashed: a line with
 * a JSON array of number, hash before, first and last position, then a line for each event with a JSON array of all its
 * columns as text (see selectStored). Read and hashed here, in the memory of some events: this is what a seal is held against.
 */
export async function computeSeal(db: Db, previous: Seal, lastPosition: number): Promise<Seal> {
  const hash = createHash('sha256').update(headOf(previous, lastPosition));
  let events = 0;
  for (let above = startOf(previous); ; ) {
    const rows = await selectStored(db, { above, upTo: lastPosition, limit: PORTION_EVENTS });
    for (const row of rows) hash.update(lineOf(row));
    events += rows.length;
    if (rows.length < PORTION_EVENTS) return sealOf(previous, lastPosition, { events, hash: hash.digest('hex') });
    above = rows.at(-1)?.[0] as number;
  }
}

/** The same seal, hashed by the database, in whose memory their text is as a whole: some MB for a thousand events, 75 at the most that their schemas allow. */
export async function makeSeal(db: Db, previous: Seal, lastPosition: number): Promise<Seal> {
  const range = { above: startOf(previous), upTo: lastPosition };
  return sealOf(previous, lastPosition, await hashStored(db, headOf(previous, lastPosition), range));
}

const sealOf = (previous: Seal, lastPosition: number, made: Pick<Seal, 'events' | 'hash'>): Seal => ({
  number: previous.number + 1,
  firstPosition: previous.lastPosition + 1,
  lastPosition,
  ...made,
});
