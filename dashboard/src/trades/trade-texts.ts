import type { Trade, TradeSide } from '@posthorn/client';
import { wordsOf } from '../lib/search.ts';

/** From the beginning of a trade to its end. */
export const TRADE_STATUSES = wordsOf<Trade['status']>({
  CREATED: 1,
  ACCEPTED: 2,
  CHECKOUT: 3,
  HOLD: 4,
  FULFILLMENT: 5,
  COMPLETED: 6,
  CANCELLED: 7,
});

const REASONS: Readonly<Record<NonNullable<Trade['reason']>, string>> = {
  UNRECIPROCATED: 'the other side did not pay in time',
  DECLINED: 'a side declined',
  PAYMENT_FAILED: 'a payment failed',
  RESERVATION_EXPIRED: 'a reservation ran out',
  ITEM_UNAVAILABLE: 'an item was not available',
  MERCHANT_CANCELLED: 'a merchant cancelled it',
  OPERATOR_CANCELLED: 'an operator cancelled it',
};

/** What ended a trade, in words. */
export const reasonText = (reason: NonNullable<Trade['reason']>): string => REASONS[reason];

/** What became of a payment; of a cancelled trade none is awaited any more. */
export const checkoutText = (status: NonNullable<TradeSide['checkout']>['status'], trade: Trade['status']): string =>
  trade === 'CANCELLED' && status === 'OPEN' ? 'not paid' : status.toLowerCase();

/** How far the handing over is, and the parcel; of a cancelled trade it is not awaited any more. */
export function fulfillmentText(
  { status, carrier, trackingNumber }: NonNullable<TradeSide['fulfillment']>,
  trade: Trade['status'],
): string {
  const isLeft = trade === 'CANCELLED' && status === 'PENDING';
  const told = isLeft ? 'not handed over' : status.replaceAll('_', ' ').toLowerCase();
  return [told, carrier, trackingNumber].filter((part) => part !== null).join(', ');
}
