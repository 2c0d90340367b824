import { type Static, Type } from 'typebox';
import { EVENTS, TRADE_CANCELLED_REASONS } from '../../contracts/events/index.ts';
import { CursorQuery, DateTime, Nullable, Uuid } from '../../platform/http/index.ts';
import { SideSchema, TradeSessionId } from './inbound/schemas.ts';
import { CHECKOUT_STATUSES, FULFILLMENT_STATUSES, RESERVATION_STATUSES, TRADE_STATUSES } from './lifecycle/types.ts';

const { items, userId, merchantAccountId, originalPrice, tradeAmount } =
  EVENTS['trade.accepted'].data.properties.initiator.properties;
const HIDDEN = 'null for a side that is served by an account which the caller may not see.';

const SideViewSchema = Type.Object(
  {
    userId,
    merchantAccountId,
    items,
    originalPrice,
    tradeAmount,
    checkout: Type.Union(
      [
        Type.Object({
          status: Type.Enum(CHECKOUT_STATUSES, { type: 'string' }),
          paidAt: Nullable(DateTime),
          refundDue: Type.Boolean({
            description:
              'Money was paid, in time or too late, and the trade was cancelled: what was really paid is due.',
          }),
        }),
        Type.Null(),
      ],
      { description: `null before the trade is accepted, and ${HIDDEN}` },
    ),
    fulfillment: Type.Union(
      [
        Type.Object({
          status: Type.Enum(FULFILLMENT_STATUSES, {
            type: 'string',
            description: '`NOT_NEEDED`: this side brings no items.',
          }),
          carrier: Nullable(Type.String()),
          trackingNumber: Nullable(Type.String()),
          estimatedDeliveryAt: Nullable(DateTime),
          returnedAt: Nullable(DateTime),
        }),
        Type.Null(),
      ],
      { description: `null before both sides have paid, and ${HIDDEN}` },
    ),
  },
  { title: 'TradeSide' },
);

const trade = {
  tradeSessionId: Type.String(),
  offerId: Type.String(),
  status: Type.Enum(TRADE_STATUSES, { type: 'string' }),
  reason: Type.Union([Type.Enum([...TRADE_CANCELLED_REASONS], { type: 'string' }), Type.Null()], {
    description: 'What ended it, of a cancelled trade.',
  }),
  currency: Type.String(),
  initiator: SideViewSchema,
  counterparty: SideViewSchema,
  reservations: Type.Array(
    Type.Object(
      {
        id: Uuid,
        side: SideSchema,
        merchantAccountId: Uuid,
        items: Type.Array(Type.Object({ listingId: Type.String(), quantity: Type.Integer() })),
        status: Type.Enum(RESERVATION_STATUSES, { type: 'string' }),
      },
      { title: 'Reservation' },
    ),
    { description: 'Those of accounts that the caller may see.' },
  ),
  expiresAt: Nullable(
    Type.String({ format: 'date-time', description: 'When the trade is cancelled unless somebody pays before.' }),
  ),
  createdAt: DateTime,
  updatedAt: DateTime,
};
export const TradeSchema = Type.Object(trade, { title: 'Trade' });

const at = DateTime;
const Entries = Type.Union([
  Type.Object({
    kind: Type.Literal('EVENT'),
    at,
    eventId: Uuid,
    event: Type.String(),
    causedBy: Nullable(Uuid),
    requestId: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('REPORT', { description: 'A merchant has reported something.' }),
    at,
    reportId: Uuid,
    accountId: Uuid,
    event: Nullable(Type.String()),
    side: Nullable(SideSchema),
    verdict: Type.String(),
    message: Nullable(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal('STEP', { description: 'What moved the trade, or was refused; for operators.' }),
    at,
    cause: Type.String(),
    status: Type.String({ description: 'After it.' }),
    refused: Nullable(Type.String()),
    eventId: Nullable(Uuid),
    reportId: Nullable(Uuid),
  }),
  Type.Object({
    kind: Type.Literal('NOTIFICATION', { description: 'What a user was told; for operators.' }),
    at,
    eventId: Uuid,
    userId: Type.String(),
    text: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('REPUTATION', { description: "A change of a user's score; for operators." }),
    at,
    eventId: Uuid,
    userId: Type.String(),
    delta: Type.Integer(),
    reason: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('DELIVERY'),
    at,
    deliveryId: Uuid,
    eventId: Uuid,
    event: Type.String({ description: 'Name of the webhook.' }),
    accountId: Uuid,
    endpointId: Uuid,
    status: Type.String(),
    attempts: Type.Integer(),
    replayOf: Nullable(Uuid),
  }),
]);
export type TimelineEntry = Static<typeof Entries>;

export const TradeDetailSchema = Type.Object(
  {
    ...trade,
    timeline: Type.Array(Entries, {
      description: 'What happened, in its order: the offer, the trade, and what came of it. At most 500 of each kind.',
    }),
  },
  { title: 'TradeDetail' },
);

export const TradeParams = Type.Object({ tradeSessionId: TradeSessionId });
export const TradesQuery = Type.Object({
  accountId: Type.Optional(Uuid),
  status: Type.Optional(Type.Enum(TRADE_STATUSES, { type: 'string' })),
  offerId: Type.Optional(TradeSessionId),
  since: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Opened at this time or later.' })),
  until: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Opened before this time.' })),
  ...CursorQuery,
});
export type TradesQuery = Static<typeof TradesQuery>;
