import type { Trade } from '@posthorn/client';
import { oneOf, span, type SpanSearch, text } from '../lib/search.ts';
import { TRADE_STATUSES } from './trade-texts.ts';

/** What stands in the address of the trades. */
export interface TradeSearch extends SpanSearch {
  status?: Trade['status'];
  offer?: string;
}

export const tradeSearch = (search: Record<string, unknown>): TradeSearch => ({
  status: oneOf(search['status'], ...TRADE_STATUSES),
  offer: text(search['offer']),
  ...span(search),
});
