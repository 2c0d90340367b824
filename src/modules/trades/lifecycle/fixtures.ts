import assert from 'node:assert/strict';
import { EVENTS } from '../../../contracts/events/index.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { acceptTrade, type Around, openTrade } from './decide.ts';
import { decideReport, type Report } from './decide-report.ts';
import type { Consequence, Decision, Side, SideTerms, Terms, Trade } from './types.ts';

/** For tests: a trade between two merchants, whose items a third one holds as well. */

export const [LEFT, RIGHT, HOLDER, STRANGER] = [1, 2, 3, 4].map((n) => `0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b0${n}`) as [
  string,
  string,
  string,
  string,
];
export const ACCOUNTS = [LEFT, RIGHT, HOLDER, STRANGER];
export const START = Date.UTC(2026, 0, 1);
export const HOUR = 3_600_000;

export const item = (listingId: string, merchantAccountId: string): SideTerms['items'][number] => ({
  listingId,
  merchantAccountId,
  price: 10,
  quantity: 1,
});
export const termsWith = (initiator: SideTerms['items'], counterparty: SideTerms['items']): Terms => ({
  ...EVENTS['trade.accepted'].example,
  initiator: { userId: 'ann', merchantAccountId: LEFT, items: initiator, originalPrice: 149.9, tradeAmount: 29.9 },
  counterparty: { userId: 'bob', merchantAccountId: RIGHT, items: counterparty, originalPrice: 120, tradeAmount: 0 },
});
export const TERMS = termsWith([item('lamp', LEFT), item('shade', HOLDER)], [item('chair', RIGHT)]);

export const around = (at = START): Around => ({
  now: new Date(at),
  newId: () => uuidv7(at),
  holdMs: 24 * HOUR,
  reservationMs: HOUR / 2,
});

export interface Done {
  trade: Trade;
  events: readonly Consequence[];
}
export function must(decision: Decision): Done {
  assert.ok(!('refused' in decision), 'refused' in decision ? decision.refused : '');
  return decision;
}
export const opened = (terms = TERMS): Trade => {
  const { tradeSessionId, ...offer } = terms;
  return openTrade(tradeSessionId, offer).trade;
};
export const accepted = (terms = TERMS): Trade => must(acceptTrade(opened(terms), terms, around())).trade;
export const report = (event: Report['event'], side: Side, more: Partial<Report> = {}): Report => ({
  event,
  side,
  accountId: side === 'INITIATOR' ? LEFT : RIGHT,
  at: new Date(START),
  ...more,
});
export const reported = (trade: Trade, ...of: Parameters<typeof report>): Done =>
  must(decideReport(trade, report(...of), around()));
export const paidByBoth = (terms = TERMS): Trade =>
  reported(reported(accepted(terms), 'payment.completed', 'INITIATOR').trade, 'payment.completed', 'COUNTERPARTY')
    .trade;
export const names = ({ events }: Done): string[] => events.map(({ event }) => event);
