import {
  checkoutCompleted,
  following,
  fulfillmentCompleted,
  fulfillmentStarted,
  listingUpdated,
  reservationExpired,
  tradeCompleted,
} from './consequences.ts';
import { type Around, cancelTrade } from './decide.ts';
import { after } from './transitions.ts';
import {
  type Consequence,
  type Decision,
  type FulfillmentStatus,
  otherSide,
  type Reservation,
  SIDES,
  type Side,
  type Trade,
  type TradeSide,
} from './types.ts';

/** What merchants report (interface.md §6.3), without the alias `fulfilled`. */
export const REPORT_EVENTS = [
  'payment.completed',
  'payment.failed',
  'item.reserved',
  'item.unreserved',
  'item.sold',
  'item.unavailable',
  'fulfillment.started',
  'fulfillment.completed',
  'returned',
  'cancelled',
] as const;
export type ReportEvent = (typeof REPORT_EVENTS)[number];

/** A report of a merchant whose sender is known for certain. */
export interface Report {
  event: ReportEvent;
  /** In lower case. */
  accountId: string;
  side: Side;
  /** When it happened. */
  at: Date;
  /** What was paid; where it is told it must be what was to be paid. */
  amount?: number;
  currency?: string;
  carrier?: string;
  trackingNumber?: string;
  estimatedDeliveryAt?: Date;
  /** Pieces that can still be had; of unavailable items, which they are (default: all of the reservation). */
  items?: readonly { listingId: string; quantity?: number }[];
}

const refuse = (refused: string): Decision => ({ refused });
const moved = (trade: Trade, events: Consequence[]): Decision => ({ trade, events });

const withSide = (trade: Trade, side: Side, change: Partial<TradeSide>): Trade => ({
  ...trade,
  sides: { ...trade.sides, [side]: { ...trade.sides[side], ...change } },
});
const withReservation = (trade: Trade, changed: Reservation): Trade => ({
  ...trade,
  reservations: trade.reservations.map((one) => (one.id === changed.id ? changed : one)),
});

/** Whether the items of a side have to be handed over; where nobody brings any, both sides say so themselves. */
const fulfillmentOf = (trade: Trade, side: Side): FulfillmentStatus =>
  trade.sides[side].items.length > 0 || trade.sides[otherSide(side)].items.length === 0 ? 'PENDING' : 'NOT_NEEDED';

function paid(trade: Trade, { side, at, amount, currency }: Report, { now, holdMs }: Around): Decision {
  const { checkout, paidAt, tradeAmount } = trade.sides[side];
  const isLast = trade.sides[otherSide(side)].checkout === 'COMPLETED';
  const status = after('trade', isLast ? 'fulfill' : 'hold', trade.status);
  const completed = after('checkout', 'complete', checkout);
  if (status === null || completed === null) {
    const refused = `The trade is ${trade.status}, the checkout of ${side} ${checkout ?? 'not opened'}.`;
    // Too late, and the money has moved, whatever was to be paid: it is to be paid back.
    const isLate =
      trade.status === 'CANCELLED' && checkout === 'FAILED' && paidAt === null && (amount ?? tradeAmount) > 0;
    return isLate ? { refused, kept: withSide(trade, side, { paidAt: at }) } : { refused };
  }
  if ((amount ?? tradeAmount) !== tradeAmount || (currency ?? trade.currency) !== trade.currency) {
    const told = `${amount ?? tradeAmount} ${currency ?? trade.currency}`;
    return refuse(
      `${tradeAmount} ${trade.currency} are to be paid, not ${told}: it is refused however often it is sent.`,
    );
  }
  let next = withSide({ ...trade, status }, side, { checkout: completed, paidAt: at });
  next = { ...next, dueAt: isLast ? null : new Date(now.getTime() + holdMs) };
  if (isLast) for (const each of SIDES) next = withSide(next, each, { fulfillment: fulfillmentOf(next, each) });
  return moved(next, [checkoutCompleted(next, side)]);
}

function notPaid(trade: Trade, { side }: Report): Decision {
  const { checkout } = trade.sides[side];
  if (after('checkout', 'fail', checkout) === null) {
    return refuse(`The trade is ${trade.status}, the checkout of ${side} ${checkout ?? 'not opened'}.`);
  }
  return cancelTrade(trade, 'PAYMENT_FAILED');
}

type OfItem = Extract<ReportEvent, `item.${string}`>;
const OF_ITEM = {
  'item.reserved': 'confirm',
  'item.unreserved': 'release',
  'item.sold': 'sell',
  'item.unavailable': 'fail',
} as const;

function itemsChanged(trade: Trade, { event, side, accountId, items }: Report & { event: OfItem }): Decision {
  const held = trade.reservations.find((one) => one.side === side && one.merchantAccountId === accountId);
  if (!held) return refuse(`The trade is ${trade.status}; this account holds nothing reserved for ${side}.`);
  const status = after('reservation', OF_ITEM[event], held.status);
  if (status === null) return refuse(`The reservation is ${held.status}, the trade ${trade.status}.`);
  const left = new Map(items?.map(({ listingId, quantity }) => [listingId, quantity]));
  const reserved = new Set(held.items.map((item) => item.listingId));
  const unknown = [...left.keys()].find((listingId) => !reserved.has(listingId));
  if (unknown !== undefined) return refuse(`The reservation has no listing ${unknown}.`);
  const next = withReservation(trade, { ...held, status });
  // What is sold is sold as a whole; of what is not there, the rest may be.
  const told = event === 'item.unavailable' && left.size > 0 ? [...left.keys()] : [...reserved];
  const listings = told.map((listingId) => {
    const quantity = left.get(listingId);
    const none = event === 'item.sold' ? ('SOLD' as const) : ('UNAVAILABLE' as const);
    return listingUpdated(held, {
      listingId,
      status: (quantity ?? 0) > 0 ? 'AVAILABLE' : none,
      ...(quantity === undefined ? {} : { quantity }),
    });
  });
  switch (event) {
    case 'item.reserved':
      return moved(next, []);
    case 'item.unreserved':
      return moved(next, [reservationExpired(next, held, 'RELEASED')]);
    case 'item.sold':
      return moved(next, listings);
    case 'item.unavailable': {
      const ended = cancelTrade(next, 'ITEM_UNAVAILABLE');
      if ('refused' in ended) return ended;
      // Of one that was released before it was told that it has ended.
      const failed = held.status === 'RELEASED' ? [] : [reservationExpired(next, held, 'UNAVAILABLE')];
      const [first, ...rest] = [...failed, ...listings, ...ended.events];
      return moved(ended.trade, [first as Consequence, ...following(rest)]);
    }
  }
}

function fulfilled(trade: Trade, report: Report): Decision {
  const { side, carrier, trackingNumber, estimatedDeliveryAt } = report;
  const before = trade.sides[side];
  const isStart = report.event === 'fulfillment.started';
  const fulfillment = after('fulfillment', isStart ? 'start' : 'complete', before.fulfillment);
  if (trade.status !== 'FULFILLMENT' || fulfillment === null) {
    return refuse(`The trade is ${trade.status}, the fulfillment of ${side} ${before.fulfillment ?? 'not open'}.`);
  }
  const next = withSide(trade, side, {
    fulfillment,
    carrier: carrier ?? before.carrier,
    trackingNumber: trackingNumber ?? before.trackingNumber,
    estimatedDeliveryAt: estimatedDeliveryAt ?? before.estimatedDeliveryAt,
  });
  if (isStart) return moved(next, [fulfillmentStarted(next, side)]);
  const isDone = SIDES.every((each) => ['COMPLETED', 'NOT_NEEDED'].includes(next.sides[each].fulfillment as string));
  const status = isDone ? after('trade', 'complete', next.status) : null;
  if (status === null) return moved(next, [fulfillmentCompleted(next, side)]);
  const done = { ...next, status };
  return moved(done, [fulfillmentCompleted(done, side), ...following([tradeCompleted(done)])]);
}

/** Kept with the fulfillment; it moves nothing, also after the trade has ended. */
function returned(trade: Trade, { side, at }: Report): Decision {
  const { fulfillment } = trade.sides[side];
  if (fulfillment !== 'STARTED' && fulfillment !== 'COMPLETED') {
    return refuse(`The trade is ${trade.status}, the fulfillment of ${side} ${fulfillment ?? 'not open'}.`);
  }
  return moved(withSide(trade, side, { returnedAt: at }), []);
}

/**
 * What a report of a merchant does (contract, "Inbound"). Stock is reported by whoever holds the items, everything else by the
 * merchant whose checkout and fulfillment serve the side. A report that comes too early is refused, and taken when it comes again.
 */
export function decideReport(trade: Trade, report: Report, around: Around): Decision {
  const { event, side, accountId } = report;
  const serves = trade.sides[side].merchantAccountId.toLowerCase() === accountId;
  const ofItem = event in OF_ITEM;
  const holds = trade.sides[side].items.some((item) => item.merchantAccountId.toLowerCase() === accountId);
  if (ofItem ? !holds : !serves) {
    return { refused: `This account ${ofItem ? 'holds no item of' : 'does not serve'} ${side}.`, code: 'FORBIDDEN' };
  }
  switch (event) {
    case 'payment.completed':
      return paid(trade, report, around);
    case 'payment.failed':
      return notPaid(trade, report);
    case 'fulfillment.started':
    case 'fulfillment.completed':
      return fulfilled(trade, report);
    case 'returned':
      return returned(trade, report);
    case 'cancelled':
      return cancelTrade(trade, 'MERCHANT_CANCELLED');
    case 'item.reserved':
    case 'item.unreserved':
    case 'item.sold':
    case 'item.unavailable':
      return itemsChanged(trade, { ...report, event });
  }
}
