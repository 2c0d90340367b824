import type { InboundReport, ReportReceipt } from '@posthorn/client';
import { oneOf, span, type SpanSearch, text, wordsOf } from '../lib/search.ts';

export const VERDICTS = wordsOf<InboundReport['verdict']>({ ACCEPTED: 1, REPEATED: 2, REFUSED: 3 });

/** What systems may report, as it is recorded. */
export const REPORTED = wordsOf<ReportReceipt['event']>({
  'payment.completed': 1,
  'payment.failed': 2,
  'item.reserved': 3,
  'item.unreserved': 4,
  'item.sold': 5,
  'item.unavailable': 6,
  'fulfillment.started': 7,
  'fulfillment.completed': 8,
  returned: 9,
  cancelled: 10,
});

/** What stands in the address of the inbound log. */
export interface InboundSearch extends SpanSearch {
  verdict?: InboundReport['verdict'];
  event?: ReportReceipt['event'];
  trade?: string;
}

export const inboundSearch = (search: Record<string, unknown>): InboundSearch => ({
  verdict: oneOf(search['verdict'], ...VERDICTS),
  event: oneOf(search['event'], ...REPORTED),
  trade: text(search['trade']),
  ...span(search),
});
