import type { InboundReport } from '@posthorn/client';
import { TradeLink } from '../account/links.tsx';

/** What a report is refused with when its trade was found: it does not allow it now, or the side is of others. */
const OF_TRADES: ReadonlySet<string> = new Set(['INVALID_STATE', 'FORBIDDEN']);

/** The trade that a report names, which leads to it where it is known that there is one. */
export function ToldTrade({ report: { tradeSessionId, verdict, error } }: { report: InboundReport }) {
  if (tradeSessionId === null) return null;
  const isFound = verdict !== 'REFUSED' || (error !== null && OF_TRADES.has(error.code));
  return isFound ? <TradeLink id={tradeSessionId}>{tradeSessionId}</TradeLink> : tradeSessionId;
}
