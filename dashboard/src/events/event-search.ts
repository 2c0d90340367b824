import { span, type SpanSearch, text } from '../lib/search.ts';

/** What stands in the address of the audit trail. */
export interface EventSearch extends SpanSearch {
  event?: string;
  trade?: string;
  /** What the events are about: id of a trade, offer, listing, booking, user. */
  subject?: string;
  cause?: string;
  request?: string;
}

export const eventSearch = (search: Record<string, unknown>): EventSearch => ({
  event: text(search['event']),
  trade: text(search['trade']),
  subject: text(search['subject']),
  cause: text(search['cause']),
  request: text(search['request']),
  ...span(search),
});
