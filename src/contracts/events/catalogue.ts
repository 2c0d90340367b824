import type { Static } from 'typebox';
import { CHECKOUT_EVENTS } from './checkouts.ts';
import { FULFILLMENT_EVENTS } from './fulfillment.ts';
import { LISTING_EVENTS } from './listings.ts';
import { MODERATION_EVENTS } from './moderation.ts';
import { OFFER_EVENTS } from './offers.ts';
import { RESERVATION_EVENTS } from './reservations.ts';
import { SELLER_EVENTS } from './seller.ts';
import type { EventEntry } from './shared.ts';
import { SPACE_BOOKING_EVENTS } from './space-bookings.ts';
import { TRADE_EVENTS } from './trades.ts';

/**
 * The one catalogue of events: the 31 internal ones of interface.md §6.7 and the three merchant webhooks that have no
 * internal event of their name. Payload types, validation, docs/events.md and OpenAPI `webhooks` are made from it.
 */
export const EVENTS = {
  ...LISTING_EVENTS,
  ...OFFER_EVENTS,
  ...TRADE_EVENTS,
  ...CHECKOUT_EVENTS,
  ...RESERVATION_EVENTS,
  ...FULFILLMENT_EVENTS,
  ...SELLER_EVENTS,
  ...MODERATION_EVENTS,
  ...SPACE_BOOKING_EVENTS,
} as const;

type Events = typeof EVENTS;

/** Every name in the catalogue, derived webhooks included. */
export type EventName = keyof Events;

type Where<Field extends 'internal' | 'webhook', Value> = {
  [N in EventName]: Events[N][Field] extends Value ? N : never;
}[EventName];

/** What can be published and stands in the audit trail. */
export type InternalEvent = Where<'internal', true>;
export type MerchantWebhook = Where<'webhook', 'MERCHANT'>;
export type BusinessWebhook = Where<'webhook', 'BUSINESS'>;
/** What an endpoint can subscribe to and a body can have as `event`. */
export type WebhookName = MerchantWebhook | BusinessWebhook;
export type DerivedWebhook = Exclude<EventName, InternalEvent>;

/** The payload of an event; of a derived webhook: its body without `event` and `timestamp`. */
export type EventData<N extends EventName = EventName> = { [K in N]: Static<Events[K]['data']> }[N];

/** A payload whose event is known only at run time. Whoever holds one has validated it. */
export type AnyEventData = Readonly<Record<string, unknown>>;

const names = Object.keys(EVENTS) as EventName[];
/** An entry without its literal types, for code that treats all events alike. */
export const entryOf = (name: EventName): EventEntry => EVENTS[name] as unknown as EventEntry;

export const internalEvents = names.filter((n) => EVENTS[n].internal) as readonly InternalEvent[];
export const merchantWebhooks = names.filter((n) => EVENTS[n].webhook === 'MERCHANT') as readonly MerchantWebhook[];
export const businessWebhooks = names.filter((n) => EVENTS[n].webhook === 'BUSINESS') as readonly BusinessWebhook[];

// Sets, because a name from outside can be `constructor` or `__proto__`, which an object would answer for.
const internalNames: ReadonlySet<string> = new Set(internalEvents);
const webhookNames: ReadonlySet<string> = new Set([...merchantWebhooks, ...businessWebhooks]);

export const isInternalEvent = (name: string): name is InternalEvent => internalNames.has(name);
export const isWebhookName = (name: string): name is WebhookName => webhookNames.has(name);

const stringAt = (data: AnyEventData, field: string): string | null => {
  const value = data[field];
  return typeof value === 'string' ? value : null;
};

/** The id of what the event is about; null only for data that does not fit its schema. */
export const subjectOf = (event: EventName, data: AnyEventData): string | null => stringAt(data, EVENTS[event].subject);

/** The trade session of the event; null for events outside of one. */
export const tradeSessionIdOf = (event: EventName, data: AnyEventData): string | null =>
  'tradeSessionId' in EVENTS[event].data.properties ? stringAt(data, 'tradeSessionId') : null;
