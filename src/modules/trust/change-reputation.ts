import type { Trx } from '../../platform/db/index.ts';
import type { LoggedEvent } from '../events/index.ts';
import { changesOf, type Scoring } from './reputation-rules.ts';
import { addChange } from './reputation-store.ts';

/** Reputation: changes the score of each user concerned by an event, once. */
export async function changeReputation(trx: Trx, event: LoggedEvent): Promise<void> {
  for (const change of changesOf(event.event as Scoring, event.data)) await addChange(trx, event, change);
}
