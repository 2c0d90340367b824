import type { StoredTrade } from './lifecycle/trade-store.ts';
import { SIDES, type Side, type TradeSide } from './lifecycle/types.ts';

/** `all`: operators. */
export type Seeing = 'all' | readonly string[];

const sees = (accounts: Seeing, accountId: string): boolean => accounts === 'all' || accounts.includes(accountId);
const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

function sideView(side: TradeSide, { isSeen, isCancelled }: { isSeen: boolean; isCancelled: boolean }) {
  const { userId, merchantAccountId, items, originalPrice, tradeAmount, checkout, fulfillment } = side;
  return {
    userId,
    merchantAccountId,
    items,
    originalPrice,
    tradeAmount,
    checkout:
      isSeen && checkout !== null
        ? {
            status: checkout,
            paidAt: iso(side.paidAt),
            // Also of what was paid too late, so that its checkout has failed: that is kept where something was paid, whatever was to be.
            refundDue: isCancelled && side.paidAt !== null && (checkout === 'FAILED' || tradeAmount > 0),
          }
        : null,
    fulfillment:
      isSeen && fulfillment !== null
        ? {
            status: fulfillment,
            carrier: side.carrier,
            trackingNumber: side.trackingNumber,
            estimatedDeliveryAt: iso(side.estimatedDeliveryAt),
            returnedAt: iso(side.returnedAt),
          }
        : null,
  };
}

/**
 * A trade as these accounts may see it: the terms of both sides, which `trade.created` has told all of them, and of the rest what is
 * their own. Whose payment failed, or who did not pay, is told to nobody else (interface.md §6.7.5).
 */
export function tradeView(trade: StoredTrade, accounts: Seeing) {
  const { id: tradeSessionId, offerId, status, reason, currency, reservations, dueAt } = trade;
  const view = (side: Side) =>
    sideView(trade.sides[side], {
      isSeen: sees(accounts, trade.sides[side].merchantAccountId),
      isCancelled: status === 'CANCELLED',
    });
  return {
    tradeSessionId,
    offerId,
    status,
    reason,
    currency,
    initiator: view('INITIATOR'),
    counterparty: view('COUNTERPARTY'),
    reservations: reservations.filter((one) => sees(accounts, one.merchantAccountId)),
    expiresAt: iso(dueAt),
    createdAt: trade.createdAt.toISOString(),
    updatedAt: trade.updatedAt.toISOString(),
  };
}

export const usersOf = ({ sides }: StoredTrade): string[] => SIDES.map((side) => sides[side].userId);
