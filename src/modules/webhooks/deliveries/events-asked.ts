import { spellingsOf } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { findEvent, refsOfTrade } from '../../events/index.ts';
import type { EventRef } from '../engine/delivery-store.ts';

interface Asked {
  eventId: string | undefined;
  tradeSessionId: string | undefined;
  /** Whose deliveries are looked for: an event that none of them may know of has none. */
  accounts: 'all' | readonly string[];
}

/**
 * The events whose deliveries a filter asks for: of a trade its first or its latest ones, or the one that is named; none where
 * it is not of the trade. Null: the filter names neither. Deliveries are found by these, for no index has the id of an event.
 */
export async function eventsAsked(
  db: Db | Trx,
  { eventId, tradeSessionId, accounts }: Asked,
  which: 'first' | 'latest',
): Promise<readonly EventRef[] | null> {
  if (eventId === undefined) return tradeSessionId === undefined ? null : refsOfTrade(db, tradeSessionId, which);
  const event = await findEvent(db, eventId, accounts);
  if (!event) return [];
  const isOfTrade =
    tradeSessionId === undefined || spellingsOf(tradeSessionId).some((id) => id === event.data['tradeSessionId']);
  return isOfTrade ? [event] : [];
}
