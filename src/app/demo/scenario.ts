import { type EventData, type InternalEvent, webhooksFor } from '../../contracts/events/index.ts';

/** One event to publish. */
export interface Step {
  event: InternalEvent;
  data: Readonly<Record<string, unknown>>;
  /** Whose endpoint gets it. */
  to: 'merchant' | 'business';
  /** The webhooks that it causes, in whatever order they arrive. */
  webhooks: readonly string[];
}

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
  (to: Step['to']) =>
  <N extends InternalEvent>(event: N, data: EventData<N>): Step => ({
    event,
    data,
    to,
    webhooks: webhooksFor(event, data),
  });
const toMerchant = stepTo('merchant');
const toBusiness = stepTo('business');

/** A lamp for a chair and 29.90 on top: from the offer to the completed trade, as the lamp's merchant hears of it. */
export function tradeSteps({ run, now, merchantId, otherMerchantId }: ScenarioInput): Step[] {
  const later = (hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString();
  const ids = { tradeSessionId: `ts_${run}`, offerId: `off_${run}` };
  const { tradeSessionId } = ids;
  const currency = 'EUR';
  const lamp = { listingId: 'lst_lamp', merchantAccountId: merchantId, price: 120, quantity: 1 };
  const chair = { listingId: 'lst_chair', merchantAccountId: otherMerchantId, price: 149.9, quantity: 1 };
  const parties = {
    initiator: { userId: 'usr_ines', merchantAccountId: merchantId },
    counterparty: { userId: 'usr_tomas', merchantAccountId: otherMerchantId },
  };
  const terms = {
    initiator: { ...parties.initiator, items: [lamp], originalPrice: 149.9, tradeAmount: 29.9 },
    counterparty: { ...parties.counterparty, items: [chair], originalPrice: 120, tradeAmount: 0 },
    currency,
  };
  const side = 'INITIATOR' as const;
  const amounts = { originalPrice: 149.9, tradeAmount: 29.9, currency };
  const items = [{ listingId: lamp.listingId, quantity: 1 }];
  const parcel = {
    tradeSessionId,
    side,
    merchantAccountId: merchantId,
    userId: 'usr_ines',
    recipientUserId: 'usr_tomas',
  };
  return [
    toMerchant('offer.created', { offerId: ids.offerId, ...terms, expiresAt: later(48) }),
    toMerchant('offer.accepted', { offerId: ids.offerId, ...terms }),
    toMerchant('trade.created', { ...ids, ...terms }),
    toMerchant('trade.accepted', { ...ids, ...terms }),
    toMerchant('reservation.created', {
      reservationId: `rsv_${run}`,
      tradeSessionId,
      side,
      merchantAccountId: merchantId,
      items,
      expiresAt: later(0.5),
    }),
    toMerchant('checkout.started', { tradeSessionId, side, ...amounts }),
    toMerchant('checkout.completed', {
      tradeSessionId,
      side,
      userId: 'usr_ines',
      merchantAccountId: merchantId,
      ...amounts,
      counterpartyCompleted: false,
      holdExpiresAt: later(24),
    }),
    toMerchant('fulfillment.started', { ...parcel, carrier: 'DHL', estimatedDeliveryAt: later(72) }),
    toMerchant('fulfillment.completed', { ...parcel, carrier: 'DHL' }),
    toMerchant('trade.completed', { tradeSessionId, ...parties }),
  ];
}

/** A booking of a room that the host has to approve. */
export function bookingSteps({ run, now, businessId }: ScenarioInput): Step[] {
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
export const listingStep = ({ run, merchantId }: ScenarioInput): Step =>
  toMerchant('listing.updated', {
    listingId: `lst_${run}`,
    merchantAccountId: merchantId,
    quantity: 0,
    status: 'SOLD',
  });
