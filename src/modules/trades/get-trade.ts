import { noSuch } from '../../contracts/errors.ts';
import type { Db } from '../../platform/db/index.ts';
import { findEvents, type LoggedEvent, positionsOfStory } from '../events/index.ts';
import { selectReports } from './inbound/report-store.ts';
import { accountsOf } from './lifecycle/consequences.ts';
import { selectSteps } from './lifecycle/step-store.ts';
import { selectTrade, type StoredTrade, tradeIdOf } from './lifecycle/trade-store.ts';
import type { TimelineEntry } from './schemas.ts';
import { type Seeing, usersOf } from './trade-view.ts';

/** Entries of each kind; a publisher can write any number of events of a trade. */
const MOST = 500;

/** What other modules know of the events of a trade. */
export interface TimelineDeps {
  deliveriesOfEvents(
    db: Db,
    of: { events: readonly Pick<LoggedEvent, 'position' | 'id'>[]; accounts: Seeing },
    limit: number,
  ): Promise<
    readonly {
      id: string;
      event_id: string;
      webhook: string;
      account_id: string;
      endpoint_id: string;
      status: string;
      attempts: number;
      replay_of: string | null;
      created_at: Date;
    }[]
  >;
  noticesOfEvents(
    db: Db,
    eventIds: readonly string[],
    limit: number,
  ): Promise<readonly { eventId: string; userId: string; text: string; createdAt: Date }[]>;
  changesOfEvents(
    db: Db,
    of: { userIds: readonly string[]; eventIds: readonly string[] },
  ): Promise<readonly { eventId: string; userId: string; delta: number; reason: string }[]>;
}

const eventEntry = ({ recordedAt, id, event, causedBy, requestId }: LoggedEvent): TimelineEntry => ({
  kind: 'EVENT',
  at: recordedAt.toISOString(),
  eventId: id,
  event,
  causedBy,
  requestId,
});

async function reportEntries(db: Db, tradeSessionId: string, accounts: Seeing): Promise<TimelineEntry[]> {
  const reports = await selectReports(
    db,
    { accounts, tradeSessionIds: [tradeSessionId] },
    { before: null, limit: MOST },
  );
  return reports.toReversed().map(({ id, accountId, event, side, verdict, message, receivedAt }) => ({
    kind: 'REPORT',
    at: receivedAt.toISOString(),
    reportId: id,
    accountId,
    event,
    side,
    verdict,
    message,
  }));
}

async function deliveryEntries(
  deps: TimelineDeps,
  db: Db,
  events: readonly LoggedEvent[],
  accounts: Seeing,
): Promise<TimelineEntry[]> {
  return (await deps.deliveriesOfEvents(db, { events, accounts }, MOST)).map((row) => ({
    kind: 'DELIVERY',
    at: row.created_at.toISOString(),
    deliveryId: row.id,
    eventId: row.event_id,
    event: row.webhook,
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    status: row.status,
    attempts: row.attempts,
    replayOf: row.replay_of,
  }));
}

/** What nobody but operators sees: who moved the trade, and what its users were told. */
async function innerEntries(
  deps: TimelineDeps,
  db: Db,
  trade: StoredTrade,
  events: readonly LoggedEvent[],
): Promise<TimelineEntry[][]> {
  const eventIds = events.map((event) => event.id);
  const steps = await selectSteps(db, trade.id, MOST);
  const notices = await deps.noticesOfEvents(db, eventIds, MOST);
  const changes = await deps.changesOfEvents(db, { userIds: usersOf(trade), eventIds });
  const recordedAt = new Map(events.map((event) => [event.id, event.recordedAt.toISOString()]));
  return [
    steps.map(
      ({ at, cause, status, refused, eventId, reportId }): TimelineEntry => ({
        kind: 'STEP',
        at: at.toISOString(),
        cause,
        status,
        refused,
        eventId,
        reportId,
      }),
    ),
    notices.map(
      ({ createdAt, ...notice }): TimelineEntry => ({
        kind: 'NOTIFICATION',
        at: createdAt.toISOString(),
        ...notice,
      }),
    ),
    changes.map(
      ({ eventId, userId, delta, reason }): TimelineEntry => ({
        kind: 'REPUTATION',
        at: recordedAt.get(eventId) as string,
        eventId,
        userId,
        delta,
        reason,
      }),
    ),
  ];
}

/** Of one millisecond, causes come before what follows from them. */
const ORDER: Record<TimelineEntry['kind'], number> = {
  REPORT: 0,
  EVENT: 1,
  STEP: 2,
  NOTIFICATION: 3,
  REPUTATION: 4,
  DELIVERY: 5,
};
/**
 * Entries of several lists by their time. Each list stays in the order in which it came, since that is how things happened: a
 * request that waited for another has an earlier time.
 */
function merged(lists: readonly (readonly TimelineEntry[])[]): TimelineEntry[] {
  const keyed = lists.flatMap((list) => {
    let latest = '';
    return list.map((entry) => ({ entry, at: (latest = entry.at > latest ? entry.at : latest) }));
  });
  return keyed
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : ORDER[a.entry.kind] - ORDER[b.entry.kind]))
    .map(({ entry }) => entry);
}

/**
 * A trade with what happened, in its order: as these accounts may see it, that is, events that name them, their own reports
 * and their own deliveries. Throws NOT_FOUND for a trade that is none of theirs.
 */
export async function getTrade(
  deps: TimelineDeps,
  db: Db,
  given: string,
  accounts: Seeing,
): Promise<{ trade: StoredTrade; timeline: TimelineEntry[] }> {
  const id = await tradeIdOf(db, given);
  const trade = await selectTrade(db, id);
  const isTheirs = (ids: readonly string[]): boolean => accounts === 'all' || ids.some((one) => accounts.includes(one));
  if (!trade || !isTheirs(accountsOf(trade).map((one) => one.toLowerCase()))) throw noSuch('trade', given);
  const positions = await positionsOfStory(db, { tradeSessionId: id, offerId: trade.offerId }, MOST);
  const events = (await findEvents(db, positions))
    .filter((event) => isTheirs(event.accountIds))
    .toSorted((a, b) => a.position - b.position);
  const lists = [
    events.map(eventEntry),
    // Anybody can name a trade in a report: those of strangers would push out the others.
    await reportEntries(db, id, accounts === 'all' ? accountsOf(trade) : accounts),
    ...(accounts === 'all' ? await innerEntries(deps, db, trade, events) : []),
    await deliveryEntries(deps, db, events, accounts),
  ];
  return { trade, timeline: merged(lists) };
}
