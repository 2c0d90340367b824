import type { EventData, InternalEvent } from '../../contracts/events/index.ts';
import { afterCommit, type Env, type Trx } from '../../platform/db/index.ts';
import { findEventsOfTrades, type LoggedEvent } from '../events/index.ts';
import { type Notifying, noticesOf, type Parties } from './concerned.ts';
import { insertNotifications, type NotificationRow } from './store.ts';

/** Events of a trade that name its users. */
const NAMING = ['trade.created', 'trade.accepted', 'trade.completed'] as const satisfies readonly InternalEvent[];
/** What is told later than this is no news: it is there, but read. Milliseconds. */
const OLD_AFTER_MS = 24 * 3600 * 1000;

type Naming = Pick<LoggedEvent, 'event' | 'data' | 'accountIds'>;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const isNaming = ({ event }: LoggedEvent): boolean => NAMING.some((name) => name === event);

/**
 * The users of the trade that an event is about, as the log names them, whatever has been handled of it; of several such
 * events, one with a part of the same audience. Null: none names them.
 */
function partiesOf(event: LoggedEvent, namingOf: ReadonlyMap<string, readonly Naming[]>): Parties | null {
  const tradeSessionId = textOf(event.data.tradeSessionId);
  if (tradeSessionId === null) return null;
  const naming = isNaming(event) ? [event] : (namingOf.get(tradeSessionId) ?? []);
  const known = naming.find((e) => e.accountIds.some((id) => event.accountIds.includes(id))) ?? naming[0];
  if (!known) return null;
  const { initiator, counterparty } = known.data as EventData<'trade.created'>;
  return { initiator: initiator.userId, counterparty: counterparty.userId };
}

/** By trade, for the events that do not name them. Latest first: what both sides have confirmed says more than what was opened. */
async function namingEvents(trx: Trx, events: readonly LoggedEvent[]): Promise<Map<string, LoggedEvent[]>> {
  const trades = new Set(events.filter((e) => !isNaming(e)).map((e) => textOf(e.data.tradeSessionId)));
  const asked = [...trades].filter((id) => id !== null);
  return asked.length === 0
    ? new Map()
    : Map.groupBy(await findEventsOfTrades(trx, asked, NAMING), (e) => String(e.data.tradeSessionId));
}

/**
 * Tells each user concerned of these events, once. With `mailsQueued` by e-mail too, unless it is no news; it is called
 * after the commit when there are some to send.
 */
export async function reactToEvents(
  trx: Trx,
  events: readonly LoggedEvent[],
  env: Omit<Env, 'requestId'>,
  mailsQueued?: () => void,
): Promise<void> {
  const namingOf = await namingEvents(trx, events);
  const rows = events.flatMap((event): NotificationRow[] => {
    const isOld = env.now.getTime() - event.recordedAt.getTime() > OLD_AFTER_MS;
    return noticesOf(event.event as Notifying, event.data, partiesOf(event, namingOf)).map(({ userId, text }) => ({
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
  });
  const mails = await insertNotifications(trx, rows, mailsQueued ? env.now : null);
  if (mailsQueued && mails > 0) afterCommit(trx, mailsQueued);
}
