import { type EventData, type InternalEvent, webhooksFor } from '../../contracts/events/index.ts';

/** One event that the marketplace publishes. */
export interface Publishing {
  event: InternalEvent;
  data: Readonly<Record<string, unknown>>;
  /** Whose endpoint gets it. */
  to: 'merchant' | 'business';
  /** The webhooks that come of it, in whatever order they arrive. */
  webhooks: readonly string[];
}

/** One report of a merchant's own checkout or fulfilment (docs/trades.md). */
export interface Reporting {
  report: Readonly<{ event: string; tradeSessionId: string; side: string; [field: string]: unknown }>;
  by: 'merchant' | 'other merchant';
  webhooks: readonly string[];
}
export type Step = Publishing | Reporting;

export interface ScenarioInput {
  /** Part of every id, so that each run plays a trade of its own. */
  run: string;
  now: Date;
  merchantId: string;
  otherMerchantId: string;
  businessId: string;
}

const HOUR_MS = 3600 * 1000;

const stepTo =
  (to: Publishing['to']) =>
  <N extends InternalEvent>(event: N, data: EventData<N>, ...following: string[]): Publishing => ({
    event,
    data,
    to,
    webhooks: [...webhooksFor(event, data), ...following],
  });
const toMerchant = stepTo('merchant');
const toBusiness = stepTo('business');

/** A lamp for a chair and 29.90 on top. */
function termsOf({ run, merchantId, otherMerchantId }: ScenarioInput): EventData<'offer.accepted'> {
  const lamp = { listingId: 'lst_lamp', merchantAccountId: merchantId, price: 120, quantity: 1 };
  const chair = { listingId: 'lst_chair', merchantAccountId: otherMerchantId, price: 149.9, quantity: 1 };
  return {
    offerId: `off_${run}`,
    initiator: {
      userId: 'usr_ines',
      merchantAccountId: merchantId,
      items: [lamp],
      originalPrice: 149.9,
      tradeAmount: 29.9,
    },
    counterparty: {
      userId: 'usr_tomas',
      merchantAccountId: otherMerchantId,
      items: [chair],
      originalPrice: 120,
      tradeAmount: 0,
    },
    currency: 'EUR',
  };
}

/** The offer and its acceptance, for which the service opens a trade session. */
export function offerSteps(input: ScenarioInput): Publishing[] {
  const terms = termsOf(input);
  const expiresAt = new Date(input.now.getTime() + 48 * HOUR_MS).toISOString();
  return [toMerchant('offer.created', { ...terms, expiresAt }), toMerchant('offer.accepted', terms, 'trade.created')];
}

/** From the acceptance of the session to the completed trade: what merchants report, as the lamp's merchant hears of it. */
export function tradeSteps(input: ScenarioInput, tradeSessionId: string): Step[] {
  const report =
    (by: Reporting['by'], side: string) =>
    (event: string, webhooks: readonly string[], more: object = {}): Reporting => ({
      report: { event, tradeSessionId, side, ...more },
      by,
      webhooks,
    });
  const lamps = report('merchant', 'INITIATOR');
  const chairs = report('other merchant', 'COUNTERPARTY');
  return [
    toMerchant('trade.accepted', { tradeSessionId, ...termsOf(input) }, 'checkout.started', 'reservation.created'),
    lamps('item.reserved', []),
    lamps('payment.completed', ['checkout.completed', 'trade.counterparty_hold_started'], {
      amount: 29.9,
      currency: 'EUR',
    }),
    chairs('payment.completed', []),
    lamps('fulfillment.started', ['fulfillment.started'], { carrier: 'DHL', trackingNumber: '00340434161094042557' }),
    lamps('fulfillment.completed', ['fulfillment.completed']),
    chairs('fulfillment.completed', ['trade.completed']),
  ];
}

/** A booking of a room that the host has to approve. */
export function bookingSteps({ run, now, businessId }: ScenarioInput): Publishing[] {
  const at = (hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString();
  const booking = {
    bookingId: `bkg_${run}`,
    spaceId: 'spc_atelier',
    businessAccountId: businessId,
    guestUserId: 'usr_ines',
    startsAt: at(240),
    endsAt: at(248),
  };
  const price = { price: 240, currency: 'EUR' };
  return [
    toBusiness('space_booking.created', { ...booking, ...price, approvalRequired: true }),
    toBusiness('space_booking.approval_requested', { ...booking, ...price, approvalDueAt: at(24) }),
    toBusiness('space_booking.approved', booking),
    toBusiness('space_booking.paid', { ...booking, amount: 240, currency: 'EUR' }),
  ];
}

/** The lamp's listing is taken down: the event that the receiver fails at first. */
export const listingStep = ({ run, merchantId }: ScenarioInput): Publishing =>
  toMerchant('listing.updated', {
    listingId: `lst_${run}`,
    merchantAccountId: merchantId,
    quantity: 0,
    status: 'SOLD',
  });
