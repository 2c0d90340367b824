import { type Static, Type } from 'typebox';
import { EVENTS } from '../../contracts/events/index.ts';
import { DateTime, Nullable, Uuid } from '../../platform/http/index.ts';
import type { LoggedEvent } from './types.ts';

export const EventSchema = Type.Object(
  {
    id: Uuid,
    event: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'As it was published.' }),
    accountIds: Type.Array(Uuid, { description: 'The audience.' }),
    occurredAt: DateTime,
    recordedAt: DateTime,
    requestId: Type.String(),
    causedBy: Nullable(Uuid),
  },
  { title: 'Event' },
);

/** By what the audit trail is filtered; several narrow it further. */
export const EventQuery = Type.Object({
  event: Type.Optional(Type.String({ maxLength: 100 })),
  tradeSessionId: Type.Optional(Type.String({ maxLength: 128 })),
  subjectId: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'What the event is about: the id of a trade, offer, listing, booking or user.',
    }),
  ),
  causedBy: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: 'Events that reactions to this one published.' }),
  ),
  requestId: Type.Optional(
    Type.String({ maxLength: 64, description: 'Published by this request, and what followed from it.' }),
  ),
  accountId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Events whose audience names this account.' })),
  since: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Recorded at this time or later.' })),
  until: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'Recorded before this time.' })),
});
export type EventQuery = Static<typeof EventQuery>;

/** One event as it is published over HTTP. `data` is checked against the event's own schema. */
export const EventInput = Type.Object(
  {
    event: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of an internal event; see GET /v1/event-types.',
    }),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'Fits the schema of the event.' }),
    accountIds: Type.Array(Uuid, { maxItems: 100, description: 'The audience: existing accounts, each counted once.' }),
    occurredAt: Type.Optional(
      Type.Unsafe<string>({
        ...DateTime,
        description:
          'When it happened; default: now. Not later than in a day, by the clock of the service or the database, whichever is later.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type EventInput = Static<typeof EventInput>;

export const MAX_BATCH = 500;

/** Either one event, or `events` with up to 500 of them; a body that is both is refused by publishEvents, which says why. */
export const PublishBody = Type.Object(
  {
    ...Type.Partial(EventInput).properties,
    events: Type.Optional(Type.Array(EventInput, { minItems: 1, maxItems: MAX_BATCH })),
  },
  {
    additionalProperties: false,
    anyOf: [{ required: ['event', 'data', 'accountIds'] }, { required: ['events'] }],
    // Without it a sample made of all fields would be both forms at once, which is refused.
    examples: [
      {
        event: 'checkout.started',
        data: EVENTS['checkout.started'].example,
        accountIds: ['0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01'],
      },
    ],
  },
);
export type PublishBody = Static<typeof PublishBody>;

export const PublishReply = Type.Object({ data: Type.Array(Type.Object({ id: Uuid, event: Type.String() })) });

/** An event as the API shows it. */
export const eventView = (e: LoggedEvent): Static<typeof EventSchema> => ({
  id: e.id,
  event: e.event,
  data: e.data,
  accountIds: [...e.accountIds],
  occurredAt: e.occurredAt.toISOString(),
  recordedAt: e.recordedAt.toISOString(),
  requestId: e.requestId,
  causedBy: e.causedBy,
});
