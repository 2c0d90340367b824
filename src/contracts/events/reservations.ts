import { Type } from 'typebox';
import {
  count,
  defineEvent,
  EXAMPLE,
  foreignId,
  instant,
  merchantAccountId,
  oneOf,
  record,
  side,
  tradeSessionId,
} from './shared.ts';

/** A reservation is all that one side of a trade takes from one merchant: one event per merchant, not per item. */
const reservation = () => ({
  reservationId: foreignId('The reservation: all items that one side brings from one merchant.'),
  tradeSessionId: tradeSessionId(),
  side: side('The side that brings the items.'),
  merchantAccountId: merchantAccountId('Account of the merchant that holds the items.'),
  items: Type.Array(
    record('A reserved item.', {
      listingId: foreignId('The listing of the item.'),
      quantity: count('Pieces.', 1),
    }),
    { description: 'What is reserved.', minItems: 1, maxItems: 50 },
  ),
});

const EXAMPLE_RESERVATION = {
  reservationId: 'rsv_2Lw6',
  tradeSessionId: EXAMPLE.tradeSession,
  side: 'INITIATOR' as const,
  merchantAccountId: EXAMPLE.initiatorAccount,
  items: [{ listingId: 'lst_lamp', quantity: 1 }],
};

const HOLDER = 'The merchant account that holds the items (`merchantAccountId`), and no other.';

const reservationCreated = defineEvent({
  event: 'reservation.created',
  description: 'Items are reserved for a trade: the merchant locks them in its own inventory.',
  subject: 'tradeSessionId',
  audience: HOLDER,
  webhook: 'MERCHANT',
  fields: {
    ...reservation(),
    expiresAt: instant(
      'When the reservation ends unless the trade goes on: once a side has paid, it lasts longer. Unlock the items on `reservation.expired`; where this time has passed without one, ask `GET /v1/trades/{tradeSessionId}` before they go to somebody else.',
    ),
  },
  example: { ...EXAMPLE_RESERVATION, expiresAt: '2026-03-01T09:35:00.000Z' },
});

export const RESERVATION_EXPIRED_CAUSES = ['TIMEOUT', 'RELEASED', 'UNAVAILABLE'] as const;

const reservationExpired = defineEvent({
  event: 'reservation.expired',
  description:
    'A reservation ends without a sale: the merchant unlocks the items. None comes by the end of a trade for items of a side whose fulfillment was reported as started or completed: they may be on their way.',
  subject: 'tradeSessionId',
  audience: HOLDER,
  webhook: 'MERCHANT',
  fields: {
    ...reservation(),
    cause: oneOf(
      RESERVATION_EXPIRED_CAUSES,
      '`TIMEOUT`: its time ran out. `RELEASED`: the merchant or the trade gave it up. `UNAVAILABLE`: the merchant does not have the items.',
    ),
  },
  example: { ...EXAMPLE_RESERVATION, cause: 'TIMEOUT' },
});

const reservationFailed = defineEvent({
  event: 'reservation.failed',
  description: 'Reserved items turn out to be unavailable.',
  subject: 'tradeSessionId',
  audience: 'Those of the `reservation.expired` it is derived from.',
  webhook: 'MERCHANT',
  derivedFrom: 'reservation.expired',
  fields: reservation(),
  example: EXAMPLE_RESERVATION,
});

export const RESERVATION_EVENTS = {
  'reservation.created': reservationCreated,
  'reservation.expired': reservationExpired,
  'reservation.failed': reservationFailed,
};
