import type { EventData } from '../../contracts/events/index.ts';
import type { Env, Trx } from '../../platform/db/index.ts';
import type { LoggedEvent } from '../events/index.ts';
import { type Notifying, noticesOf, type Parties } from './concerned.ts';
import { findParties, insertNotifications, saveParties } from './store.ts';

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The parties of the trade that an event is about; an event that names them makes them known for later ones. */
async function partiesOf(trx: Trx, { event, data }: LoggedEvent): Promise<Parties | null> {
  const tradeSessionId = textOf(data.tradeSessionId);
  if (tradeSessionId === null) return null;
  if (event !== 'trade.created' && event !== 'trade.accepted') return findParties(trx, tradeSessionId);
  const { initiator, counterparty } = data as EventData<'trade.created'>;
  const parties = { initiator: initiator.userId, counterparty: counterparty.userId };
  await saveParties(trx, tradeSessionId, parties);
  return parties;
}

/** Tells each user concerned of an event, once. */
export async function reactToEvent(trx: Trx, event: LoggedEvent, env: Env): Promise<void> {
  const notices = noticesOf(event.event as Notifying, event.data, await partiesOf(trx, event));
  const rows = notices.map(({ userId, text }) => ({
    id: env.newId(),
    userId,
    text,
    eventId: event.id,
    event: event.event,
    offerId: textOf(event.data.offerId),
    tradeSessionId: textOf(event.data.tradeSessionId),
    createdAt: env.now,
  }));
  await insertNotifications(trx, rows);
}
