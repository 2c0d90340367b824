import type { Trade } from '@posthorn/client';

export const TRADE_STATUSES = [
  'CREATED',
  'ACCEPTED',
  'CHECKOUT',
  'HOLD',
  'FULFILLMENT',
  'COMPLETED',
  'CANCELLED',
] as const;

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
