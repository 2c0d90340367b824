import { type Static, Type } from 'typebox';
import { EVENTS, type EventName, isWebhookName, webhookBody } from '../../contracts/events/index.ts';
import { Nullable } from '../../platform/http/index.ts';

export const EventTypesReply = Type.Object({
  data: Type.Array(
    Type.Object({
      event: Type.String(),
      description: Type.String(),
      internal: Type.Boolean({ description: 'False for webhooks that are derived from another event.' }),
      derivedFrom: Nullable(Type.String()),
      webhook: Nullable(Type.Union([Type.Literal('MERCHANT'), Type.Literal('BUSINESS')])),
      schema: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of `data`.' }),
      example: Type.Record(Type.String(), Type.Unknown(), { description: 'A whole webhook body.' }),
    }),
  ),
});

/** Moment of the examples, so that they read the same everywhere. */
const EXAMPLE_TIME = new Date('2026-01-15T09:30:00.000Z');

function describe(name: EventName): Static<typeof EventTypesReply>['data'][number] {
  const entry = EVENTS[name];
  const example = isWebhookName(name)
    ? (JSON.parse(webhookBody(name, entry.example, EXAMPLE_TIME)) as Record<string, unknown>)
    : { event: name, ...entry.example, timestamp: EXAMPLE_TIME.toISOString() };
  return {
    event: name,
    description: entry.description,
    internal: entry.internal,
    derivedFrom: entry.derivedFrom,
    webhook: entry.webhook,
    schema: JSON.parse(JSON.stringify(entry.data)) as Record<string, unknown>,
    example,
  };
}

let made: Static<typeof EventTypesReply> | undefined;

/** The catalogue as data (contract: GET /v1/event-types). */
export const listEventTypes = (): Static<typeof EventTypesReply> =>
  (made ??= { data: (Object.keys(EVENTS) as EventName[]).map(describe) });
