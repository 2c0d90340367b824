import type { EventData, InternalEvent } from '../../contracts/events/index.ts';
import { asWeWrite } from '../../lib/ids.ts';
import { afterCommit, type Env, type Trx } from '../../platform/db/index.ts';
import { findEventsOfTrades, type LoggedEvent } from '../events/index.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Notifying, noticesOf, type Parties } from './concerned.ts';
import { insertNotifications, type NotificationRow } from './store.ts';

/** Events of a trade that name its users. */
const NAMING = ['trade.created', 'trade.accepted', 'trade.completed'] as const satisfies readonly InternalEvent[];
/** What is told later than this is no news: it is there, but read. Milliseconds. */
const OLD_AFTER_MS = 24 * 3600 * 1000;
/** Nor is what happened so long before it was published, as of a history. A merchant may report some days late. Milliseconds. */
const HISTORY_AFTER_MS = 7 * OLD_AFTER_MS;

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
  const naming = isNaming(event) ? [event] : (namingOf.get(asWeWrite(tradeSessionId)) ?? []);
  const known = naming.find((e) => e.accountIds.some((id) => event.accountIds.includes(id))) ?? naming[0];
  if (!known) return null;
  const { initiator, counterparty } = known.data as EventData<'trade.created'>;
  return { initiator: initiator.userId, counterparty: counterparty.userId };
}

/** By trade, for the events that do not name them. Latest first: what both sides have confirmed says more than what was opened. */
async function namingEvents(trx: Trx, events: readonly LoggedEvent[]): Promise<Map<string, LoggedEvent[]>> {
  const unnamed = events.filter((e) => !isNaming(e));
  return Map.groupBy(await findEventsOfTrades(trx, unnamed, NAMING), (e) => asWeWrite(String(e.data.tradeSessionId)));
}

const isHistory = ({ recordedAt, occurredAt }: LoggedEvent): boolean =>
  recordedAt.getTime() - occurredAt.getTime() > HISTORY_AFTER_MS;

const isOld = (event: LoggedEvent, now: Date): boolean =>
  isHistory(event) || now.getTime() - event.recordedAt.getTime() > OLD_AFTER_MS;

export interface ReactDeps {
  leastTime: Platform['leastTime'];
  /** Called after the commit when there are e-mails to send; without it there are none. */
  mailsQueued?: (() => void) | undefined;
}

/**
 * The time by which events are news or not: the database's as well when some are none by the node's. What a node told as read whose clock is
 * ahead would never be news.
 */
async function timeOfTelling(
  trx: Trx,
  events: readonly LoggedEvent[],
  { leastTime }: ReactDeps,
  now: Date,
): Promise<Date> {
  const isAllNews = events.every((event) => isHistory(event) || !isOld(event, now));
  return isAllNews ? now : new Date(Math.min(now.getTime(), await leastTime(trx)));
}

/** Tells each user concerned of these events, once; by e-mail too, unless it is no news. */
export async function reactToEvents(
  trx: Trx,
  events: readonly LoggedEvent[],
  env: Omit<Env, 'requestId'>,
  deps: ReactDeps,
): Promise<void> {
  const { mailsQueued } = deps;
  const namingOf = await namingEvents(trx, events);
  const now = await timeOfTelling(trx, events, deps, env.now);
  const rows = events.flatMap((event): NotificationRow[] =>
    noticesOf(event.event as Notifying, event.data, partiesOf(event, namingOf)).map(({ userId, text }) => ({
      id: env.newId(),
      userId,
      text,
      eventId: event.id,
      event: event.event,
      offerId: textOf(event.data.offerId),
      tradeSessionId: textOf(event.data.tradeSessionId),
      accountId: null,
      endpointId: null,
      createdAt: event.recordedAt,
      readAt: isOld(event, now) ? now : null,
    })),
  );
  const mails = await insertNotifications(trx, rows, mailsQueued ? now : null);
  if (mailsQueued && mails > 0) afterCommit(trx, mailsQueued);
}
