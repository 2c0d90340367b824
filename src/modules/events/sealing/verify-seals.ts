import type { Db } from '../../../platform/db/index.ts';
import { computeSeal, NO_SEAL } from './compute-seal.ts';
import { SEALER } from './sealer.ts';
import { countBehind, readerPosition, type Seal, selectSeals } from './store.ts';

const PORTION_SEALS = 100;

export interface Difference {
  /** The first seal that does not fit. */
  seal: Pick<Seal, 'number' | 'firstPosition' | 'lastPosition'>;
  kind: 'EVENT_CHANGED' | 'EVENT_REMOVED' | 'EVENT_INSERTED' | 'SEAL_CHANGED' | 'SEAL_REMOVED' | 'SEAL_REPLACED';
}

/** What an earlier run told of its last seal. */
export type KnownSeal = Pick<Seal, 'number' | 'hash'>;

export type Verified =
  | { ok: true; seals: number; events: number; lastPosition: number; hash: string; unsealed: number }
  | { ok: false; difference: Difference };

/** What is wrong with a seal that should follow the one before; null: nothing. */
async function differenceOf(db: Db, previous: Seal, seal: Seal): Promise<Difference['kind'] | null> {
  if (seal.number !== previous.number + 1) return 'SEAL_REMOVED';
  if (seal.firstPosition !== previous.lastPosition + 1 || seal.lastPosition < seal.firstPosition) return 'SEAL_CHANGED';
  const actual = await computeSeal(db, previous, seal);
  if (actual.events < seal.events) return actual.hash === seal.hash ? 'SEAL_CHANGED' : 'EVENT_REMOVED';
  if (actual.events > seal.events) return actual.hash === seal.hash ? 'SEAL_CHANGED' : 'EVENT_INSERTED';
  return actual.hash === seal.hash ? null : 'EVENT_CHANGED';
}

/**
 * Computes every seal again from what is stored, in order, and stops at the first that does not fit. Events and seals
 * that come meanwhile do no harm. `EVENT_CHANGED` is also told of as many removed as inserted, and of a changed hash:
 * a hash does not say more. `SEAL_REMOVED` names the seal that is missing, also at the end. Whoever may write anything can
 * make seals anew: only a seal that is known from an earlier run, kept elsewhere, finds that out (`SEAL_REPLACED`).
 */
export async function verifySeals(db: Db, known?: KnownSeal): Promise<Verified> {
  const sealedUpTo = await readerPosition(db, SEALER);
  let previous = NO_SEAL;
  let events = 0;
  for (let portion; (portion = await selectSeals(db, previous.number, PORTION_SEALS)).length > 0; ) {
    for (const seal of portion) {
      const kind = await differenceOf(db, previous, seal);
      if (kind === 'SEAL_REMOVED') return { ok: false, difference: missing(previous, seal.firstPosition - 1) };
      if (kind !== null) return { ok: false, difference: { seal, kind } };
      if (seal.number === known?.number && seal.hash !== known.hash) {
        return { ok: false, difference: { seal, kind: 'SEAL_REPLACED' } };
      }
      previous = seal;
      events += seal.events;
    }
  }
  const { number: seals, lastPosition, hash } = previous;
  if (lastPosition < sealedUpTo || seals < (known?.number ?? 0)) {
    return { ok: false, difference: missing(previous, Math.max(sealedUpTo, lastPosition + 1)) };
  }
  return { ok: true, seals, events, lastPosition, hash, unsealed: await countBehind(db, lastPosition) };
}

const missing = (previous: Seal, lastPosition: number): Difference => ({
  seal: { number: previous.number + 1, firstPosition: previous.lastPosition + 1, lastPosition },
  kind: 'SEAL_REMOVED',
});
