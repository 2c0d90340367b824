import type { Trx } from '../../platform/db/index.ts';
import type { LoggedEvent } from '../events/index.ts';
import { changesOf, type Scoring } from './reputation-rules.ts';
import { addChanges } from './reputation-store.ts';

/** Reputation: changes the score of each user concerned by these events, once. */
export const changeReputations = (trx: Trx, events: readonly LoggedEvent[]): Promise<void> =>
  addChanges(
    trx,
    events.flatMap((event) => changesOf(event.event as Scoring, event.data).map((change) => ({ ...change, event }))),
  );
