import type { Trade } from '@posthorn/client';
import { moment, oneOf, text } from '../lib/search.ts';
import { TRADE_STATUSES } from './trade-texts.ts';

/** What stands in the address of the trades. */
export interface TradeSearch {
  status?: Trade['status'];
  offer?: string;
  since?: string;
  until?: string;
}

export const tradeSearch = (search: Record<string, unknown>): TradeSearch => ({
  status: oneOf(search['status'], ...TRADE_STATUSES),
  offer: text(search['offer']),
  since: moment(search['since']),
  until: moment(search['until']),
});
