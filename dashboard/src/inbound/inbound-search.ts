import type { InboundReport } from '@posthorn/client';
import { moment, oneOf, text, wordsOf } from '../lib/search.ts';

export const VERDICTS = wordsOf<InboundReport['verdict']>({ ACCEPTED: 1, REPEATED: 2, REFUSED: 3 });

/** What stands in the address of the inbound log. */
export interface InboundSearch {
  verdict?: InboundReport['verdict'];
  trade?: string;
  since?: string;
  until?: string;
}

export const inboundSearch = (search: Record<string, unknown>): InboundSearch => ({
  verdict: oneOf(search['verdict'], ...VERDICTS),
  trade: text(search['trade']),
  since: moment(search['since']),
  until: moment(search['until']),
});
