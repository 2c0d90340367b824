import { moment, oneOf, text } from '../lib/search.ts';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'DEAD', 'HELD', 'DISCARDED'] as const;

/** What stands in the address of the list of deliveries. */
export interface DeliverySearch {
  status?: (typeof DELIVERY_STATUSES)[number];
  event?: string;
  endpoint?: string;
  cause?: string;
  trade?: string;
  since?: string;
  until?: string;
}

export const deliverySearch = (search: Record<string, unknown>): DeliverySearch => ({
  status: oneOf(search['status'], ...DELIVERY_STATUSES),
  event: text(search['event']),
  endpoint: text(search['endpoint']),
  cause: text(search['cause']),
  trade: text(search['trade']),
  since: moment(search['since']),
  until: moment(search['until']),
});
