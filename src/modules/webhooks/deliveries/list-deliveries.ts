import { invalidAll } from '../../../contracts/errors.ts';
import { webhookFault } from '../../../contracts/events/index.ts';
import type { Db } from '../../../platform/db/index.ts';
import { cursorOfId, idOfCursor, spanFaults, toCursorPage } from '../../../platform/http/index.ts';
import { type EndpointName, selectNames } from '../endpoints/store.ts';
import type { EventRef } from '../engine/delivery-store.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import { eventsAsked } from './events-asked.ts';
import { HIGHEST, idsWithin, LOWEST, type Search, searchDeliveries } from './search-store.ts';
import { type DeliveryRow, type LastReplay, selectByIds, selectLastReplays, selectOfEvents } from './store.ts';

export interface DeliveryFilter {
  status?: DeliveryStatus;
  event?: string;
  eventId?: string;
  endpointId?: string;
  errorClass?: string;
  tradeSessionId?: string;
  since?: string;
  until?: string;
}

export interface ListDeliveriesQuery extends DeliveryFilter {
  cursor?: string;
  limit: number;
}

/** Throws VALIDATION_ERROR when no delivery can ever fit. `at`: where the filter is in the request. */
export function checkFilter(
  filter: Pick<DeliveryFilter, 'event' | 'since' | 'until'>,
  at: 'query' | 'body.filter',
): void {
  const fault = filter.event === undefined ? null : webhookFault(filter.event);
  const faults = fault === null ? [] : [{ path: `${at}.event`, message: fault }];
  faults.push(...spanFaults(filter, at));
  if (faults.length > 0) throw invalidAll(faults);
}

/** What a filter looks for among the deliveries of these accounts. */
export function searchOf(
  filter: Omit<DeliveryFilter, 'eventId' | 'tradeSessionId'>,
  accounts: Search['accounts'],
): Search {
  const { since, until, ...plain } = filter;
  const span = {
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
  };
  return { ...plain, accounts, ...idsWithin(span) };
}

interface Page<Row = DeliveryRow> {
  data: Row[];
  nextCursor: string | null;
}

const byId = (a: DeliveryRow, b: DeliveryRow): number => (a.id < b.id ? 1 : -1);

/**
 * Deliveries of the accounts that the caller may see, newest first, without those past their retention, each with its endpoint and what became of its replays. A page that looks for
 * what is rare may be short, even empty, and yet have a cursor: one look is bounded (search-store.ts).
 */
export async function listDeliveries(
  db: Db,
  query: ListDeliveriesQuery,
  accounts: 'all' | readonly string[],
  retentionDays: number,
): Promise<Page<DeliveryRow & { last_replay: LastReplay | null; endpoint: EndpointName | undefined }>> {
  const page = await pageOf(db, query, accounts, retentionDays);
  const replays = await selectLastReplays(db, page.data);
  const names = await selectNames(
    db,
    page.data.map((row) => row.endpoint_id),
  );
  const data = page.data.map((row) => ({
    ...row,
    last_replay: replays.get(row.id) ?? null,
    endpoint: names.get(row.endpoint_id),
  }));
  return { ...page, data };
}

async function pageOf(
  db: Db,
  query: ListDeliveriesQuery,
  accounts: 'all' | readonly string[],
  retentionDays: number,
): Promise<Page> {
  const { cursor, limit, eventId, tradeSessionId, ...filter } = query;
  checkFilter(filter, 'query');
  const before = idOfCursor(cursor);
  const whole = searchOf(filter, accounts);
  const search = before !== null && before < whole.before ? { ...whole, before } : whole;
  const part = { order: 'desc', limit: limit + 1 } as const;
  const events = await eventsAsked(db, { eventId, tradeSessionId, accounts }, 'latest');
  if (events !== null) {
    return toCursorPage(await selectOfEvents(db, { ...search, events, retentionDays }, part), limit);
  }
  const { ids, next } = await searchDeliveries(db, search, part);
  const shown = ids.slice(0, limit);
  const data = (await selectByIds(db, shown, retentionDays)).toSorted(byId);
  const last = ids.length > limit ? (shown.at(-1) as string) : next;
  return { data, nextCursor: last === null ? null : cursorOfId(last) };
}

/** Deliveries of these events, replays among them, without those past their retention; the last `limit`, in their order. */
export async function deliveriesOfEvents(
  db: Db,
  of: { events: readonly EventRef[]; accounts: 'all' | readonly string[]; retentionDays: number },
  limit: number,
): Promise<DeliveryRow[]> {
  const filter = { ...of, after: LOWEST, before: HIGHEST };
  return (await selectOfEvents(db, filter, { order: 'desc', limit })).toReversed();
}
