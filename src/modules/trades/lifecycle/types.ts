import type { AnyEventData, EventData, InternalEvent } from '../../../contracts/events/index.ts';

export const SIDES = ['INITIATOR', 'COUNTERPARTY'] as const;
export type Side = (typeof SIDES)[number];
export const otherSide = (side: Side): Side => (side === 'INITIATOR' ? 'COUNTERPARTY' : 'INITIATOR');

export const TRADE_STATUSES = [
  'CREATED',
  'ACCEPTED',
  'CHECKOUT',
  'HOLD',
  'FULFILLMENT',
  'COMPLETED',
  'CANCELLED',
] as const;
export type TradeStatus = (typeof TRADE_STATUSES)[number];
export const CHECKOUT_STATUSES = ['OPEN', 'COMPLETED', 'FAILED'] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];
export const FULFILLMENT_STATUSES = ['NOT_NEEDED', 'PENDING', 'STARTED', 'COMPLETED'] as const;
export type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number];
export const RESERVATION_STATUSES = ['RESERVED', 'CONFIRMED', 'SOLD', 'RELEASED', 'EXPIRED', 'UNAVAILABLE'] as const;
export type ReservationStatus = (typeof RESERVATION_STATUSES)[number];

export type Terms = EventData<'trade.accepted'>;
export type SideTerms = Terms['initiator'];
export type CancelReason = EventData<'trade.cancelled'>['reason'];

/** One side of a trade: its terms, its checkout and its fulfillment. Amounts are in major units of the trade's currency. */
export interface TradeSide extends Readonly<SideTerms> {
  /** Null: not opened yet. */
  readonly checkout: CheckoutStatus | null;
  readonly paidAt: Date | null;
  /** Null: not both sides have paid yet. */
  readonly fulfillment: FulfillmentStatus | null;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly estimatedDeliveryAt: Date | null;
  readonly returnedAt: Date | null;
}

/** All items that one side brings from one merchant. */
export interface Reservation {
  readonly id: string;
  readonly side: Side;
  readonly merchantAccountId: string;
  readonly items: readonly { readonly listingId: string; readonly quantity: number }[];
  readonly status: ReservationStatus;
}

/** A trade session with all that it holds; what changes it is in transitions.ts. */
export interface Trade {
  readonly id: string;
  readonly offerId: string;
  readonly status: TradeStatus;
  readonly reason: CancelReason | null;
  readonly currency: string;
  readonly sides: Readonly<Record<Side, TradeSide>>;
  readonly reservations: readonly Reservation[];
  /** When its reservations (CHECKOUT) or its hold (HOLD) run out. */
  readonly dueAt: Date | null;
}

/** An event that a change of a trade publishes. */
export interface Consequence<N extends InternalEvent = InternalEvent> {
  readonly event: N;
  readonly data: AnyEventData;
  readonly accountIds: readonly string[];
  /** It follows from the first event of the same change. */
  readonly follows: boolean;
}

/** What a trade does about something that happened: what it becomes and what is published, or why it stays as it is. */
export type Decision =
  | { readonly trade: Trade; readonly events: readonly Consequence[] }
  | {
      readonly refused: string;
      readonly code?: 'FORBIDDEN';
      /** The trade with what is remembered of it all the same; it moves nothing, and nothing is published. */
      readonly kept?: Trade;
    };
