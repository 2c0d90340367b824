import { oneOf, text } from '../lib/search.ts';

export const VERDICTS = ['ACCEPTED', 'REPEATED', 'REFUSED'] as const;

/** What stands in the address of the inbound log. */
export interface InboundSearch {
  verdict?: (typeof VERDICTS)[number];
  trade?: string;
}

export const inboundSearch = (search: Record<string, unknown>): InboundSearch => ({
  verdict: oneOf(search['verdict'], ...VERDICTS),
  trade: text(search['trade']),
});
