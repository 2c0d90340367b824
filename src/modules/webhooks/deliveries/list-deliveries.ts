import { isWebhookName } from '../../../contracts/events/index.ts';
import type { Db } from '../../../platform/db/index.ts';
import { idOfCursor, toCursorPage } from '../../../platform/http/index.ts';
import { refsOfTrade } from '../../events/index.ts';
import type { EventRef } from '../engine/delivery-store.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import { type DeliveryRow, selectDeliveries } from './store.ts';

export interface ListDeliveriesQuery {
  status?: DeliveryStatus;
  event?: string;
  endpointId?: string;
  tradeSessionId?: string;
  since?: string;
  until?: string;
  cursor?: string;
  limit: number;
}

/** Deliveries of the accounts that the caller may see, newest first, without those past their retention. */
export async function listDeliveries(
  db: Db,
  query: ListDeliveriesQuery,
  accounts: 'all' | readonly string[],
  retentionDays: number,
): Promise<{ data: DeliveryRow[]; nextCursor: string | null }> {
  const { cursor, limit, tradeSessionId, since, until, ...filter } = query;
  // There is none, and to find that out would take reading all of them.
  if (filter.event !== undefined && !isWebhookName(filter.event)) return { data: [], nextCursor: null };
  const rows = await selectDeliveries(db, {
    ...filter,
    ...(tradeSessionId === undefined ? {} : { events: await refsOfTrade(db, tradeSessionId) }),
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
    accounts,
    retentionDays,
    before: idOfCursor(cursor),
    limit: limit + 1,
  });
  return toCursorPage(rows, limit);
}

/** Deliveries of these events, replays among them; the last `limit`, in their order. */
export async function deliveriesOfEvents(
  db: Db,
  events: readonly EventRef[],
  accounts: 'all' | readonly string[],
  limit: number,
): Promise<DeliveryRow[]> {
  return (await selectDeliveries(db, { events, accounts, before: null, limit })).toReversed();
}
