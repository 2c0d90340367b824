import { Type } from 'typebox';
import {
  amount,
  currency,
  defineEvent,
  EXAMPLE,
  foreignId,
  instant,
  merchantAccountId,
  oneOf,
  side,
  tradeSessionId,
} from './shared.ts';
import { BOTH_SIDES } from './terms.ts';

/**
 * A receiver deduplicates by tradeSessionId and event (interface.md §6.6.4). Two merchants therefore must not both get
 * both sides' checkout events: the second would be taken for a repetition of the first.
 */
const THAT_SIDE = 'The merchant account of that side, not that of the other.';

const checkoutStarted = defineEvent({
  event: 'checkout.started',
  description: 'The checkout of one side is opened: once per side of an accepted trade.',
  subject: 'tradeSessionId',
  audience: THAT_SIDE,
  webhook: 'MERCHANT',
  // Exactly the fields of interface.md §6.4, in its order: nothing may be added here.
  fields: {
    tradeSessionId: tradeSessionId(),
    side: side('The side whose checkout it is.'),
    originalPrice: amount('What the checkout would cost without the trade.'),
    tradeAmount: amount('What is to be paid.'),
    currency: currency(),
  },
  example: {
    tradeSessionId: EXAMPLE.tradeSession,
    side: 'INITIATOR',
    originalPrice: 149.9,
    tradeAmount: 29.9,
    currency: EXAMPLE.currency,
  },
});

const checkoutCompleted = defineEvent({
  event: 'checkout.completed',
  description: 'One side has paid.',
  subject: 'tradeSessionId',
  audience: THAT_SIDE,
  webhook: 'MERCHANT',
  fields: {
    tradeSessionId: tradeSessionId(),
    side: side('The side that has paid.'),
    userId: foreignId('The user of that side.'),
    merchantAccountId: merchantAccountId('Account of the merchant of that side.'),
    originalPrice: amount('What the checkout would have cost without the trade.'),
    tradeAmount: amount('What was paid.'),
    currency: currency(),
    counterpartyCompleted: Type.Boolean({ description: 'Whether the other side had paid already.' }),
    holdExpiresAt: Type.Optional(
      instant('When the trade is cancelled unless the other side pays before; absent when it has.'),
    ),
  },
  example: {
    tradeSessionId: EXAMPLE.tradeSession,
    side: 'INITIATOR',
    userId: EXAMPLE.initiator,
    merchantAccountId: EXAMPLE.initiatorAccount,
    originalPrice: 149.9,
    tradeAmount: 29.9,
    currency: EXAMPLE.currency,
    counterpartyCompleted: false,
    holdExpiresAt: '2026-03-02T09:05:00.000Z',
  },
});

/** None tells the side. A user, an amount or a checkout's id would, so the event has none of them (interface.md §6.7.5). */
export const CHECKOUT_FAILED_REASONS = ['PAYMENT_FAILED', 'TIMEOUT', 'ITEM_UNAVAILABLE', 'CANCELLED'] as const;

const checkoutFailed = defineEvent({
  event: 'checkout.failed',
  description: 'A checkout of the trade fails. Both sides get the same body; it says nothing of whose checkout it was.',
  subject: 'tradeSessionId',
  audience: BOTH_SIDES,
  webhook: 'MERCHANT',
  fields: {
    tradeSessionId: tradeSessionId(),
    reason: oneOf(CHECKOUT_FAILED_REASONS, 'What went wrong.'),
  },
  example: {
    tradeSessionId: EXAMPLE.tradeSession,
    reason: 'PAYMENT_FAILED',
  },
});

export const CHECKOUT_EVENTS = {
  'checkout.started': checkoutStarted,
  'checkout.completed': checkoutCompleted,
  'checkout.failed': checkoutFailed,
};
