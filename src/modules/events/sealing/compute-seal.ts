import { createHash } from 'node:crypto';
import type { Db } from '../../../platform/db/index.ts';
import { FORMS, lineOf } from './forms.ts';
import { hashStored, type Seal, selectStored } from './store.ts';

/** Events that are in memory at once. */
const PORTION_EVENTS = 200;

/** The form of new seals. */
const FORM = 2;

/** What the first seal follows. */
export const NO_SEAL: Seal = { number: 0, form: FORM, firstPosition: 0, lastPosition: 0, events: 0, hash: '' };

type Wanted = Pick<Seal, 'form' | 'lastPosition'>;

/**
 * The line that is hashed first: number, hash before, first and last position, and the form behind them where it is not 1, so that what was
 * hashed in one form is nothing in another.
 */
const headOf = (previous: Seal, { form, lastPosition }: Wanted): string =>
  lineOf([previous.number + 1, previous.hash, previous.lastPosition + 1, lastPosition, ...(form === 1 ? [] : [form])]);

/** No position is below 1, and what somebody put there must not escape. */
const startOf = (previous: Seal): number => (previous.number === 0 ? Number.MIN_SAFE_INTEGER : previous.lastPosition);

/**
 * The seal of what is stored from behind the seal before up to a position: SHA-256 over the head (see headOf) in UTF-8 and every event in the
 * seal's form (see FORMS), in their order. Read and hashed here, in the memory of some events: this is what a seal is held
 * against. Throws for a form that this version does not know.
 */
export async function computeSeal(db: Db, previous: Seal, wanted: Wanted): Promise<Seal> {
  const { form, lastPosition } = wanted;
  const bytesOf = FORMS[form];
  if (!bytesOf) throw new Error(`seal ${previous.number + 1} is of form ${form}, which this version does not know`);
  const hash = createHash('sha256').update(headOf(previous, wanted));
  let events = 0;
  for (let above = startOf(previous); ; ) {
    const rows = await selectStored(db, { above, upTo: lastPosition, limit: PORTION_EVENTS });
    for (const row of rows) hash.update(bytesOf(row));
    events += rows.length;
    if (rows.length < PORTION_EVENTS) return sealOf(previous, wanted, { events, hash: hash.digest('hex') });
    above = rows.at(-1)?.position as number;
  }
}

/**
 * The same seal in the form of new ones, hashed by the database, in whose memory their bytes are as a whole: some hundred KB for a thousand
 * events, 75 MB at the most that their schemas allow.
 */
export async function makeSeal(db: Db, previous: Seal, lastPosition: number): Promise<Seal> {
  const wanted = { form: FORM, lastPosition };
  const range = { above: startOf(previous), upTo: lastPosition };
  return sealOf(previous, wanted, await hashStored(db, headOf(previous, wanted), range));
}

const sealOf = (previous: Seal, { form, lastPosition }: Wanted, made: Pick<Seal, 'events' | 'hash'>): Seal => ({
  number: previous.number + 1,
  form,
  firstPosition: previous.lastPosition + 1,
  lastPosition,
  ...made,
});
