import { text } from '../lib/search.ts';

/** What stands in the address of the dead letters. */
export interface DeadLetterSearch {
  endpoint?: string;
  cause?: string;
}

export const deadLetterSearch = (search: Record<string, unknown>): DeadLetterSearch => ({
  endpoint: text(search['endpoint']),
  cause: text(search['cause']),
});
