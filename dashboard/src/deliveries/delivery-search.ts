import type { Delivery, DeliveryErrorClass } from '@posthorn/client';
import { causeOf } from '../account/causes.ts';
import { anything, oneOf, span, type SpanSearch, text, wordsOf } from '../lib/search.ts';

export const DELIVERY_STATUSES = wordsOf<Delivery['status']>({
  PENDING: 1,
  DELIVERED: 2,
  DEAD: 3,
  HELD: 4,
  DISCARDED: 5,
});

/** What stands in the address of the list of deliveries. */
export interface DeliverySearch extends SpanSearch {
  status?: Delivery['status'];
  event?: string;
  /** Id of the event that they are deliveries of. */
  of?: string;
  endpoint?: string;
  cause?: DeliveryErrorClass;
  trade?: string;
}

export const deliverySearch = (search: Record<string, unknown>): DeliverySearch => ({
  status: oneOf(search['status'], ...DELIVERY_STATUSES),
  event: text(search['event']),
  of: anything(search['of']),
  endpoint: anything(search['endpoint']),
  cause: causeOf(search['cause']),
  trade: text(search['trade']),
  ...span(search),
});
