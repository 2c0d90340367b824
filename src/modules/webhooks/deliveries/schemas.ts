import { type Static, Type } from 'typebox';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import { nameProperties, nameView } from '../endpoints/schemas.ts';
import type { EndpointName } from '../endpoints/store.ts';
import { ERROR_CLASSES } from './error-classes.ts';
import type { DeliveryRow, LastReplay } from './store.ts';

export const DeliveryStatusSchema = Type.Union([
  Type.Literal('PENDING'),
  Type.Literal('DELIVERED'),
  Type.Literal('DEAD'),
  Type.Literal('HELD'),
  Type.Literal('DISCARDED'),
]);

/** What is looked for; replies have plain text, since rows of other versions may have other classes. */
const ErrorClass = Type.Unsafe<string>({ title: 'DeliveryErrorClass', type: 'string', enum: [...ERROR_CLASSES] });

/** Why somebody ends a delivery. */
export const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  // Not blank, and nothing that a database cannot store.
  pattern: '^(?!\\s*$)[^\\u0000\\ud800-\\udfff]*$',
  description: 'Kept and shown.',
});

/** What a list or a job can narrow deliveries by. */
export const filterProperties = {
  event: Type.Optional(Type.String({ maxLength: 100, description: 'Name of the webhook.' })),
  eventId: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: 'An event of the audit trail; what tests send is not in it.' }),
  ),
  endpointId: Type.Optional(Uuid),
  errorClass: Type.Optional(ErrorClass),
  tradeSessionId: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'A list has deliveries of its last 10,000 events; a job on a trade of so many is refused.',
    }),
  ),
  since: Type.Optional(DateTime),
  until: Type.Optional(DateTime),
};

export const DeliverySchema = Type.Object(
  {
    id: Uuid,
    eventId: Uuid,
    event: Type.String({ description: 'Name of the webhook.' }),
    endpointId: Uuid,
    accountId: Uuid,
    status: DeliveryStatusSchema,
    attempts: Type.Integer({ description: 'Attempts made, 0 to 5.' }),
    nextAttemptAt: Nullable(DateTime),
    replayOf: Nullable(Uuid),
    isTest: Type.Boolean(),
    errorClass: Nullable(
      Type.String({
        description:
          'Why the last attempt failed; of a discarded one why it was: `ENDPOINT_DELETED`, `REPLAYED`, `PULLED`, `BY_REQUEST`.',
      }),
    ),
    discardReason: Nullable(Type.String({ description: 'What was given as the reason when it was discarded.' })),
    requestId: Type.String({ description: 'Of the request that caused it.' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { title: 'Delivery' },
);

export const ListedDeliverySchema = Type.Object(
  {
    ...DeliverySchema.properties,
    ...nameProperties,
    lastReplay: Nullable(
      Type.Object(
        { status: DeliveryStatusSchema, createdAt: DateTime },
        {
          description:
            'A later replay that sends the same again (one of this delivery, or of what it is a replay of, or one of those), and what became of it: the newest that has arrived or is under way, else the newest. null: none is stored; one may be for longer than it is shown. Of a test none is known.',
        },
      ),
    ),
  },
  { title: 'ListedDelivery' },
);

const Headers = Type.Record(Type.String(), Type.String());

export const DeliveryDetailSchema = Type.Object({
  ...DeliverySchema.properties,
  ...nameProperties,
  heldBy: Type.Array(
    Type.Union([
      Type.Literal('ENDPOINT_PAUSED'),
      Type.Literal('ENDPOINT_DISABLED'),
      Type.Literal('NO_SIGNING_SECRET'),
      Type.Literal('UNREADABLE_HEADERS'),
    ]),
    {
      description:
        'All that keeps a HELD one now, where `errorClass` has what did when it was held; none: it is sent within half a minute, or discarded where the endpoint is deleted.',
    },
  ),
  replays: Type.Array(Type.Object({ id: Uuid, status: DeliveryStatusSchema, createdAt: DateTime }), {
    description:
      'The last ten deliveries that are replays of this one, newest first, as far as they are stored: one past its retention is told here, and 404 by itself. Of a test none are known.',
  }),
  url: Nullable(Type.String({ description: 'Present address of the endpoint; null: it is deleted.' })),
  body: Nullable(Type.String({ description: 'The exact text that is signed and sent.' })),
  log: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      at: DateTime,
      durationMs: Type.Number(),
      connectMs: Nullable(
        Type.Number({
          description: 'Name lookup, TCP and TLS; null when a kept connection was used, or none came about.',
        }),
      ),
      firstByteMs: Nullable(
        Type.Number({ description: 'From the start until the headers of the reply were there; null without a reply.' }),
      ),
      url: Nullable(
        Type.String({
          description:
            'Where it went. Null where that is not known: of some attempts of earlier versions, when the endpoint was changed after them, and of one that arrived at once within ten seconds after a change of the address, by a node that may not have heard of it.',
        }),
      ),
      requestHeaders: Type.Unsafe<Static<typeof Headers>>({
        ...Headers,
        description:
          "The endpoint's own by their names; without them where these are not kept: of an attempt that arrived at once, when the endpoint got another address or other headers, or was deleted, after it or less than ten seconds before.",
      }),
      responseStatus: Nullable(
        Type.Integer({
          description:
            'Also where the body broke off or came too slowly, with what had come of it: then `errorClass` says so.',
        }),
      ),
      responseHeaders: Nullable(Headers),
      responseBody: Nullable(Type.String({ description: 'The first 16 KiB.' })),
      errorClass: Nullable(Type.String()),
      errorMessage: Nullable(Type.String()),
    }),
    { description: 'Every attempt, oldest first.' },
  ),
});

/** A delivery as the API shows it. */
export const deliveryView = (row: DeliveryRow): Static<typeof DeliverySchema> => ({
  id: row.id,
  eventId: row.event_id,
  event: row.webhook,
  endpointId: row.endpoint_id,
  accountId: row.account_id,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  replayOf: row.replay_of,
  isTest: row.event_position === null,
  errorClass: row.error_class,
  discardReason: row.discard_reason,
  requestId: row.request_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** The same as a list shows it. */
export const listedView = (
  row: DeliveryRow & { last_replay: LastReplay | null; endpoint: EndpointName | undefined },
): Static<typeof ListedDeliverySchema> => ({
  ...deliveryView(row),
  ...nameView(row.endpoint),
  lastReplay: row.last_replay && {
    status: row.last_replay.status,
    createdAt: row.last_replay.created_at.toISOString(),
  },
});
