import type { EventData, InternalEvent } from '../../../contracts/events/index.ts';
import { type Consequence, otherSide, type Reservation, SIDES, type Side, type Terms, type Trade } from './types.ts';

/** The events of trades, with the audience that the catalogue gives them. */

const consequence = <N extends InternalEvent>(event: N, data: EventData<N>, accountIds: string[]): Consequence<N> => ({
  event,
  data: data,
  accountIds,
  follows: false,
});

/** Marks events as following from the first one. */
export const following = (events: readonly Consequence[]): Consequence[] =>
  events.map((event) => ({ ...event, follows: true }));

const bothSides = ({ sides }: Trade): string[] => SIDES.map((side) => sides[side].merchantAccountId);

/** Every account that a trade concerns. */
export const accountsOf = (trade: Trade): string[] => [
  ...new Set([
    ...bothSides(trade),
    ...SIDES.flatMap((side) => trade.sides[side].items.map((item) => item.merchantAccountId)),
  ]),
];

/** Whether a trade is an account's business. The id in lower case. */
export const concerns = (trade: Trade, accountId: string): boolean =>
  accountsOf(trade).some((id) => id.toLowerCase() === accountId);

const termsOf = ({ userId, merchantAccountId, items, originalPrice, tradeAmount }: Terms['initiator']) => ({
  userId,
  merchantAccountId,
  items,
  originalPrice,
  tradeAmount,
});

export const tradeCreated = (trade: Trade): Consequence => {
  const { id: tradeSessionId, offerId, sides, currency } = trade;
  const [initiator, counterparty] = [termsOf(sides.INITIATOR), termsOf(sides.COUNTERPARTY)];
  return consequence(
    'trade.created',
    { tradeSessionId, offerId, initiator, counterparty, currency },
    accountsOf(trade),
  );
};

/** Exactly the fields of interface.md §6.4. */
export const checkoutStarted = ({ id: tradeSessionId, sides, currency }: Trade, side: Side): Consequence => {
  const { merchantAccountId, originalPrice, tradeAmount } = sides[side];
  return consequence('checkout.started', { tradeSessionId, side, originalPrice, tradeAmount, currency }, [
    merchantAccountId,
  ]);
};

export function checkoutCompleted({ id: tradeSessionId, sides, currency, dueAt }: Trade, side: Side): Consequence {
  const { userId, merchantAccountId, originalPrice, tradeAmount } = sides[side];
  const data = { tradeSessionId, side, userId, merchantAccountId, originalPrice, tradeAmount, currency };
  const hold = dueAt
    ? { counterpartyCompleted: false, holdExpiresAt: dueAt.toISOString() }
    : { counterpartyCompleted: true };
  return consequence('checkout.completed', { ...data, ...hold }, [merchantAccountId]);
}

/** To both sides alike: interface.md §6.7.5. */
export const checkoutFailed = (trade: Trade, reason: EventData<'checkout.failed'>['reason']): Consequence =>
  consequence('checkout.failed', { tradeSessionId: trade.id, reason }, bothSides(trade));

const reservationData = ({ id: tradeSessionId }: Trade, { id, side, merchantAccountId, items }: Reservation) => ({
  reservationId: id,
  tradeSessionId,
  side,
  merchantAccountId,
  items: items.map(({ listingId, quantity }) => ({ listingId, quantity })),
});

export const reservationCreated = (trade: Trade, reservation: Reservation, expiresAt: Date): Consequence =>
  consequence('reservation.created', { ...reservationData(trade, reservation), expiresAt: expiresAt.toISOString() }, [
    reservation.merchantAccountId,
  ]);

export const reservationExpired = (
  trade: Trade,
  reservation: Reservation,
  cause: EventData<'reservation.expired'>['cause'],
): Consequence =>
  consequence('reservation.expired', { ...reservationData(trade, reservation), cause }, [
    reservation.merchantAccountId,
  ]);

export const listingUpdated = (
  { merchantAccountId }: Reservation,
  change: Pick<EventData<'listing.updated'>, 'listingId' | 'status' | 'quantity'>,
): Consequence => consequence('listing.updated', { merchantAccountId, ...change }, [merchantAccountId]);

function fulfillmentData({ id: tradeSessionId, sides }: Trade, side: Side) {
  const { merchantAccountId, userId, carrier, trackingNumber } = sides[side];
  return {
    tradeSessionId,
    side,
    merchantAccountId,
    userId,
    recipientUserId: sides[otherSide(side)].userId,
    ...(carrier === null ? {} : { carrier }),
    ...(trackingNumber === null ? {} : { trackingNumber }),
  };
}

export function fulfillmentStarted(trade: Trade, side: Side): Consequence {
  const { merchantAccountId, estimatedDeliveryAt: at } = trade.sides[side];
  const estimate = at ? { estimatedDeliveryAt: at.toISOString() } : {};
  return consequence('fulfillment.started', { ...fulfillmentData(trade, side), ...estimate }, [merchantAccountId]);
}

export const fulfillmentCompleted = (trade: Trade, side: Side): Consequence =>
  consequence('fulfillment.completed', fulfillmentData(trade, side), [trade.sides[side].merchantAccountId]);

export function tradeCompleted(trade: Trade): Consequence {
  const party = (side: Side) => {
    const { userId, merchantAccountId } = trade.sides[side];
    return { userId, merchantAccountId };
  };
  const data = { tradeSessionId: trade.id, initiator: party('INITIATOR'), counterparty: party('COUNTERPARTY') };
  return consequence('trade.completed', data, bothSides(trade));
}

/** To both sides alike: interface.md §6.7.5. */
export const tradeCancelled = (trade: Trade, reason: EventData<'trade.cancelled'>['reason']): Consequence =>
  consequence('trade.cancelled', { tradeSessionId: trade.id, reason }, bothSides(trade));
