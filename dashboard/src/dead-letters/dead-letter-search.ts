import type { DeliveryErrorClass } from '@posthorn/client';
import { ERROR_CLASSES } from '../account/causes.ts';
import { oneOf, text } from '../lib/search.ts';

/** What stands in the address of the dead letters. */
export interface DeadLetterSearch {
  endpoint?: string;
  cause?: DeliveryErrorClass;
}

export const deadLetterSearch = (search: Record<string, unknown>): DeadLetterSearch => ({
  endpoint: text(search['endpoint']),
  cause: oneOf(search['cause'], ...ERROR_CLASSES),
});
