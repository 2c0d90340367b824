import type { EventData } from '../../contracts/events/index.ts';
import { afterCommit, type Env, type Trx } from '../../platform/db/index.ts';
import { findEvents, type LoggedEvent, positionsOfTrade } from '../events/index.ts';
import { type Notifying, noticesOf, type Parties } from './concerned.ts';
import { insertNotifications } from './store.ts';

/** Events of a trade that name its users. */
const NAMING: ReadonlySet<string> = new Set(['trade.created', 'trade.accepted', 'trade.completed']);
/** What is told later than this is no news: it is there, but read. Milliseconds. */
const OLD_AFTER_MS = 24 * 3600 * 1000;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * The users of the trade that an event is about, as the log names them, whatever has been handled of it; of several such
 * events, one with a part of the same audience. Null: none names them.
 */
async function partiesOf(trx: Trx, { event, data, accountIds }: LoggedEvent): Promise<Parties | null> {
  const tradeSessionId = textOf(data.tradeSessionId);
  if (tradeSessionId === null) return null;
  const naming = NAMING.has(event) ? [{ event, data, accountIds }] : await namingEvents(trx, tradeSessionId);
  const known = naming.find((e) => e.accountIds.some((id) => accountIds.includes(id))) ?? naming[0];
  if (!known) return null;
  const { initiator, counterparty } = known.data as EventData<'trade.created'>;
  return { initiator: initiator.userId, counterparty: counterparty.userId };
}

/** Latest first: what both sides have confirmed says more than what was opened. */
async function namingEvents(trx: Trx, tradeSessionId: string): Promise<LoggedEvent[]> {
  const events = await findEvents(trx, await positionsOfTrade(trx, tradeSessionId));
  return events.filter((e) => NAMING.has(e.event)).toSorted((a, b) => b.position - a.position);
}

/**
 * Tells each user concerned of an event, once. With `mailsQueued` by e-mail too, unless it is no news; it is called after
 * the commit when there are some to send.
 */
export async function reactToEvent(trx: Trx, event: LoggedEvent, env: Env, mailsQueued?: () => void): Promise<void> {
  const notices = noticesOf(event.event as Notifying, event.data, await partiesOf(trx, event));
  const isOld = env.now.getTime() - event.recordedAt.getTime() > OLD_AFTER_MS;
  const rows = notices.map(({ userId, text }) => ({
    id: env.newId(),
    userId,
    text,
    eventId: event.id,
    event: event.event,
    offerId: textOf(event.data.offerId),
    tradeSessionId: textOf(event.data.tradeSessionId),
    createdAt: event.recordedAt,
    readAt: isOld ? env.now : null,
  }));
  const mails = await insertNotifications(trx, rows, mailsQueued && !isOld ? env.now : null);
  if (mailsQueued && mails > 0) afterCommit(trx, mailsQueued);
}
