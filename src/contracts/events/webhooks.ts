import { type TObject, Type } from 'typebox';
import {
  type AnyEventData,
  type DerivedWebhook,
  EVENTS,
  type EventData,
  type EventName,
  entryOf,
  type InternalEvent,
  isInternalEvent,
  isWebhookName,
  type WebhookName,
} from './catalogue.ts';

/**
 * When an event also causes a webhook of another name (contract: derived webhooks). The derived body is the event's
 * data without the fields that its schema does not have.
 */
const DERIVED: { [D in DerivedWebhook]: { field: string; is: unknown } } = {
  'trade.counterparty_hold_started': { field: 'counterpartyCompleted', is: false },
  'trade.closed_unreciprocated': { field: 'reason', is: 'UNRECIPROCATED' },
  'reservation.failed': { field: 'cause', is: 'UNAVAILABLE' },
};

/** Why a name from outside is not that of an internal event; null: it is. */
export function eventFault(name: string): string | null {
  if (isInternalEvent(name)) return null;
  if (!isWebhookName(name)) return `${JSON.stringify(name)} is not an internal event; GET /v1/event-types lists them`;
  const { field, is } = DERIVED[name as DerivedWebhook];
  const cause = `${EVENTS[name].derivedFrom} with \`${field}: ${JSON.stringify(is)}\``;
  return `"${name}" is not an internal event but a webhook, which ${cause} causes`;
}

/** Why a name from outside is not that of a webhook; null: it is. */
export function webhookFault(name: string): string | null {
  if (isWebhookName(name)) return null;
  const what = isInternalEvent(name) ? 'an event that causes no webhook of its name' : 'not a webhook';
  return `${JSON.stringify(name)} is ${what}; GET /v1/event-types lists them`;
}

interface Routes {
  always: readonly WebhookName[];
  derived: { field: string; is: unknown; names: readonly WebhookName[] } | null;
}

/** Made once, so that the fan-out of an event allocates no list. No event has more than one derived webhook. */
const ROUTES = new Map<InternalEvent, Routes>();
for (const name of Object.keys(EVENTS) as EventName[]) {
  if (!EVENTS[name].internal) continue;
  const always = isWebhookName(name) ? [name] : [];
  const webhook = (Object.keys(DERIVED) as DerivedWebhook[]).find((d) => EVENTS[d].derivedFrom === name);
  const derived = webhook ? { ...DERIVED[webhook], names: [...always, webhook] } : null;
  ROUTES.set(name as InternalEvent, { always, derived });
}

/** The webhooks that an event causes, the same-named one first; empty when it causes none. */
export function webhooksFor(event: InternalEvent, data: AnyEventData): readonly WebhookName[] {
  const { always, derived } = ROUTES.get(event) as Routes;
  return derived && data[derived.field] === derived.is ? derived.names : always;
}

/**
 * The data of the webhook's body, made from the data of the event that causes it: the same object, except for a derived
 * webhook, which drops what its own schema does not have. Doing it twice changes nothing.
 */
export function derivedData<W extends WebhookName>(webhook: W, data: AnyEventData): EventData<W> {
  if (EVENTS[webhook].internal) return data as EventData<W>;
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(EVENTS[webhook].data.properties)) {
    if (data[field] !== undefined) fields[field] = data[field];
  }
  return fields as EventData<W>;
}

/**
 * The exact bytes to sign and send (interface.md §6.4): `event`, the fields of the webhook's data, `timestamp` in UTC
 * with milliseconds. `data` is that of the causing event. Fields keep the order they have in `data`.
 */
export const webhookBody = (webhook: WebhookName, data: AnyEventData, occurredAt: Date): string =>
  JSON.stringify({ event: webhook, ...derivedData(webhook, data), timestamp: occurredAt.toISOString() });

const EXAMPLE_TIME = new Date('2026-03-01T09:05:00.000Z');

/** A whole body as an example; for an event that has no webhook, what its body would be. */
export const exampleBody = (name: EventName): Record<string, unknown> => ({
  event: name,
  ...entryOf(name).example,
  timestamp: EXAMPLE_TIME.toISOString(),
});

const bodySchemas = new Map<WebhookName, TObject>();

/** The body's schema, for OpenAPI `webhooks` and for receivers' tests. */
export function webhookBodySchema(name: WebhookName): TObject {
  const made = bodySchemas.get(name) ?? makeBodySchema(name);
  bodySchemas.set(name, made);
  return made;
}

function makeBodySchema(name: WebhookName): TObject {
  const { data, description } = entryOf(name);
  const { type: _type, properties, required: _required, ...options } = data as TObject & { minProperties?: number };
  return Type.Object(
    {
      event: Type.Literal(name, { description: 'Name of the event.' }),
      ...properties,
      timestamp: Type.String({ format: 'date-time', description: 'When it happened, UTC with milliseconds.' }),
    },
    {
      ...options,
      // Counts the fields of the data; a body has two more.
      ...(options.minProperties === undefined ? {} : { minProperties: options.minProperties + 2 }),
      description,
    },
  );
}
