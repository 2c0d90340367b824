import type { DeliveryErrorClass } from '@posthorn/client';
import { causeOf } from '../account/causes.ts';
import { anything } from '../lib/search.ts';

/** What stands in the address of the dead letters. */
export interface DeadLetterSearch {
  endpoint?: string;
  cause?: DeliveryErrorClass;
}

export const deadLetterSearch = (search: Record<string, unknown>): DeadLetterSearch => ({
  endpoint: anything(search['endpoint']),
  cause: causeOf(search['cause']),
});
