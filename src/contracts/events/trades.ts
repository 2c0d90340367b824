import { Type } from 'typebox';
import { amount, currency, defineEvent, EXAMPLE, foreignId, instant, oneOf, side, tradeSessionId } from './shared.ts';
import {
  BOTH_ACCOUNTS,
  BOTH_SIDES,
  EXAMPLE_COUNTERPARTY,
  EXAMPLE_INITIATOR,
  EXAMPLE_PARTIES,
  party,
  sideTerms,
} from './terms.ts';

const terms = () => ({
  tradeSessionId: tradeSessionId(),
  offerId: foreignId('The accepted offer.'),
  initiator: sideTerms('Side INITIATOR: who made the offer.'),
  counterparty: sideTerms('Side COUNTERPARTY: who accepted it.'),
  currency: currency(),
});

const EXAMPLE_TERMS = {
  tradeSessionId: EXAMPLE.tradeSession,
  offerId: EXAMPLE.offer,
  initiator: EXAMPLE_INITIATOR,
  counterparty: EXAMPLE_COUNTERPARTY,
  currency: EXAMPLE.currency,
};

const tradeCreated = defineEvent({
  event: 'trade.created',
  description: 'A trade session is opened for an accepted offer.',
  subject: 'tradeSessionId',
  audience: BOTH_ACCOUNTS,
  webhook: 'MERCHANT',
  fields: terms(),
  example: EXAMPLE_TERMS,
});

const tradeAccepted = defineEvent({
  event: 'trade.accepted',
  description: 'Both sides have confirmed the trade session. One checkout per side is created from it.',
  subject: 'tradeSessionId',
  audience: BOTH_ACCOUNTS,
  webhook: 'MERCHANT',
  fields: terms(),
  example: EXAMPLE_TERMS,
});

const tradeCompleted = defineEvent({
  event: 'trade.completed',
  description: 'Both sides have paid and both fulfillments are completed.',
  subject: 'tradeSessionId',
  audience: BOTH_SIDES,
  webhook: 'MERCHANT',
  fields: {
    tradeSessionId: tradeSessionId(),
    initiator: party('Side INITIATOR.'),
    counterparty: party('Side COUNTERPARTY.'),
  },
  example: { tradeSessionId: EXAMPLE.tradeSession, ...EXAMPLE_PARTIES },
});

/** Each says what ended the trade and none on which side: interface.md §6.7.5. Free text could say it, so there is none. */
export const TRADE_CANCELLED_REASONS = [
  'UNRECIPROCATED',
  'DECLINED',
  'PAYMENT_FAILED',
  'RESERVATION_EXPIRED',
  'ITEM_UNAVAILABLE',
  'MERCHANT_CANCELLED',
  'OPERATOR_CANCELLED',
] as const;

const tradeCancelled = defineEvent({
  event: 'trade.cancelled',
  description:
    'The trade ends without being completed. Both sides get the same body; it says nothing of who caused it.',
  subject: 'tradeSessionId',
  audience: BOTH_SIDES,
  webhook: 'MERCHANT',
  fields: {
    tradeSessionId: tradeSessionId(),
    reason: oneOf(
      TRADE_CANCELLED_REASONS,
      'What ended it. `UNRECIPROCATED`: one side had paid and the hold ran out before the other did.',
    ),
  },
  example: {
    tradeSessionId: EXAMPLE.tradeSession,
    reason: 'PAYMENT_FAILED',
  },
});

const tradeCounterpartyHoldStarted = defineEvent({
  event: 'trade.counterparty_hold_started',
  description: 'One side has completed its checkout, and the trade is held until the other side has.',
  subject: 'tradeSessionId',
  audience: 'Those of the `checkout.completed` it is derived from.',
  webhook: 'MERCHANT',
  derivedFrom: 'checkout.completed',
  fields: {
    tradeSessionId: tradeSessionId(),
    side: side('The side that has completed its checkout.'),
    tradeAmount: amount('What that side has paid.'),
    currency: currency(),
    holdExpiresAt: Type.Optional(instant('When the trade is cancelled unless the other side completes before.')),
  },
  example: {
    tradeSessionId: EXAMPLE.tradeSession,
    side: 'INITIATOR',
    tradeAmount: 29.9,
    currency: EXAMPLE.currency,
    holdExpiresAt: '2026-03-02T09:05:00.000Z',
  },
});

const tradeClosedUnreciprocated = defineEvent({
  event: 'trade.closed_unreciprocated',
  description: 'The hold ran out: one side had paid and the other did not, so the trade was cancelled.',
  subject: 'tradeSessionId',
  audience: 'Those of the `trade.cancelled` it is derived from.',
  webhook: 'MERCHANT',
  derivedFrom: 'trade.cancelled',
  fields: { tradeSessionId: tradeSessionId() },
  example: { tradeSessionId: EXAMPLE.tradeSession },
});

export const TRADE_EVENTS = {
  'trade.created': tradeCreated,
  'trade.accepted': tradeAccepted,
  'trade.completed': tradeCompleted,
  'trade.cancelled': tradeCancelled,
  'trade.counterparty_hold_started': tradeCounterpartyHoldStarted,
  'trade.closed_unreciprocated': tradeClosedUnreciprocated,
};
