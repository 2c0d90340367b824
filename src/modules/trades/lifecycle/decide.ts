import type { EventData } from '../../../contracts/events/index.ts';
import { asWeWrite } from '../../../lib/ids.ts';
import {
  checkoutFailed,
  checkoutStarted,
  following,
  reservationCreated,
  reservationExpired,
  tradeCancelled,
  tradeCreated,
} from './consequences.ts';
import { after } from './transitions.ts';
import {
  type CancelReason,
  type Consequence,
  type Decision,
  type Reservation,
  type Side,
  SIDES,
  type SideTerms,
  type Terms,
  type Trade,
  type TradeSide,
  type TradeStatus,
} from './types.ts';

/** What a change needs besides the trade. Times in milliseconds. */
export interface Around {
  /** From when on a time lasts that begins. */
  now: Date;
  newId: () => string;
  /** How long a paid side waits for the other. */
  holdMs: number;
  /** How long reservations last while nobody has paid. */
  reservationMs: number;
}

const newSide = (terms: SideTerms): TradeSide => ({
  ...terms,
  checkout: null,
  paidAt: null,
  fulfillment: null,
  carrier: null,
  trackingNumber: null,
  estimatedDeliveryAt: null,
  returnedAt: null,
});

const newTrade = (terms: Terms): Trade => ({
  id: terms.tradeSessionId,
  offerId: terms.offerId,
  status: 'CREATED',
  reason: null,
  currency: terms.currency,
  sides: { INITIATOR: newSide(terms.initiator), COUNTERPARTY: newSide(terms.counterparty) },
  reservations: [],
  dueAt: null,
});

/** The trade session of an accepted offer. */
export function openTrade(id: string, offer: EventData<'offer.accepted'>): { trade: Trade; events: Consequence[] } {
  const trade = newTrade({ tradeSessionId: id, ...offer });
  return { trade, events: [tradeCreated(trade)] };
}

/** A trade session that the marketplace opened itself and that is heard of when it is accepted. */
export const adoptTrade = (terms: Terms): Trade => newTrade(terms);

const isSameParty = (a: TradeSide, b: SideTerms): boolean =>
  asWeWrite(a.userId) === asWeWrite(b.userId) &&
  a.merchantAccountId.toLowerCase() === b.merchantAccountId.toLowerCase();

function reservationsOf({ items }: SideTerms, side: Side, newId: () => string): Reservation[] {
  return [...Map.groupBy(items, (item) => item.merchantAccountId.toLowerCase())].map(([merchantAccountId, held]) => ({
    id: newId(),
    side,
    merchantAccountId,
    items: held.map(({ listingId, quantity }) => ({ listingId, quantity })),
    status: 'RESERVED',
  }));
}

/**
 * Both sides have confirmed: opens a checkout per side and reserves what they bring. The terms are those that were confirmed;
 * its parties cannot change.
 */
export function acceptTrade(trade: Trade, terms: Terms, { now, newId, reservationMs }: Around): Decision {
  const accepted = after('trade', 'accept', trade.status);
  const status = after('trade', 'openCheckouts', accepted);
  if (status === null) return { refused: `The trade is ${trade.status}; it was accepted or ended before.` };
  const isSame =
    asWeWrite(trade.offerId) === asWeWrite(terms.offerId) &&
    isSameParty(trade.sides.INITIATOR, terms.initiator) &&
    isSameParty(trade.sides.COUNTERPARTY, terms.counterparty);
  if (!isSame) return { refused: 'It names another offer or other parties than the trade session has.' };
  const opened = (side: SideTerms): TradeSide => ({ ...newSide(side), checkout: 'OPEN' });
  const dueAt = new Date(now.getTime() + reservationMs);
  const next: Trade = {
    ...trade,
    status,
    currency: terms.currency,
    sides: { INITIATOR: opened(terms.initiator), COUNTERPARTY: opened(terms.counterparty) },
    reservations: SIDES.flatMap((side) =>
      reservationsOf(side === 'INITIATOR' ? terms.initiator : terms.counterparty, side, newId),
    ),
    dueAt,
  };
  const events = [
    ...SIDES.map((side) => checkoutStarted(next, side)),
    ...next.reservations.map((reservation) => reservationCreated(next, reservation, dueAt)),
  ];
  return { trade: next, events };
}

type ReservationEnd = EventData<'reservation.expired'>['cause'];

/** None of them tells a side, and neither does that there is one (interface.md §6.7.5). */
const CHECKOUT_FAILS: Readonly<Record<CancelReason, EventData<'checkout.failed'>['reason']>> = {
  UNRECIPROCATED: 'TIMEOUT',
  RESERVATION_EXPIRED: 'TIMEOUT',
  PAYMENT_FAILED: 'PAYMENT_FAILED',
  ITEM_UNAVAILABLE: 'ITEM_UNAVAILABLE',
  DECLINED: 'CANCELLED',
  MERCHANT_CANCELLED: 'CANCELLED',
  OPERATOR_CANCELLED: 'CANCELLED',
};

const isHandedOver = ({ fulfillment }: TradeSide): boolean => fulfillment === 'STARTED' || fulfillment === 'COMPLETED';

/**
 * What the end of a trade makes of a reservation, and what is told of it; null: it had ended before, or its items are handed over. What
 * is on its way would be sold again by a holder that was told to unlock it; that can report itself what has become of it.
 */
function freedBy(
  reason: CancelReason,
  { sides }: Trade,
  reservation: Reservation,
): { freed: Reservation; told: ReservationEnd } | null {
  if (isHandedOver(sides[reservation.side])) return null;
  const timedOut = reason === 'RESERVATION_EXPIRED';
  const held = after('reservation', timedOut ? 'expire' : 'release', reservation.status);
  if (held !== null) return { freed: { ...reservation, status: held }, told: timedOut ? 'TIMEOUT' : 'RELEASED' };
  // Its holder would never learn that nobody takes the items: trade.cancelled goes to the merchants of the sides only.
  const sold = after('reservation', 'takeBack', reservation.status);
  return sold === null ? null : { freed: { ...reservation, status: sold }, told: 'RELEASED' };
}

/**
 * Ends a trade: open checkouts fail (one event for all of them: a second one would tell how many there were), what is
 * still reserved, or sold for it, is given back, unless it is handed over. `announced`: trade.cancelled stands in the log already.
 */
export function cancelTrade(trade: Trade, reason: CancelReason, { announced = false } = {}): Decision {
  const status = after('trade', 'cancel', trade.status);
  if (status === null) return { refused: `The trade is ${trade.status}; it cannot be cancelled any more.` };
  const ends = trade.reservations.map((reservation) => ({ reservation, end: freedBy(reason, trade, reservation) }));
  const failedSide = (side: TradeSide): TradeSide => ({
    ...side,
    checkout: after('checkout', 'fail', side.checkout) ?? side.checkout,
  });
  const sides = { INITIATOR: failedSide(trade.sides.INITIATOR), COUNTERPARTY: failedSide(trade.sides.COUNTERPARTY) };
  const next: Trade = {
    ...trade,
    status,
    reason,
    dueAt: null,
    sides,
    reservations: ends.map(({ reservation, end }) => end?.freed ?? reservation),
  };
  const failed = SIDES.some((side) => trade.sides[side].checkout !== sides[side].checkout);
  const events = [
    ...(failed ? [checkoutFailed(next, CHECKOUT_FAILS[reason])] : []),
    ...ends.flatMap(({ end }) => (end === null ? [] : [reservationExpired(next, end.freed, end.told)])),
    ...(announced ? [] : [tradeCancelled(next, reason)]),
  ];
  return { trade: next, events: [...events.slice(0, 1), ...following(events.slice(1))] };
}

const RUN_OUT: Partial<Record<TradeStatus, CancelReason>> = { CHECKOUT: 'RESERVATION_EXPIRED', HOLD: 'UNRECIPROCATED' };

/** Its reservations or its hold have run out. */
export function endDue(trade: Trade, now: Date): Decision {
  const reason = RUN_OUT[trade.status];
  if (reason === undefined || trade.dueAt === null || trade.dueAt > now) return { refused: 'It is not due.' };
  return cancelTrade(trade, reason);
}
