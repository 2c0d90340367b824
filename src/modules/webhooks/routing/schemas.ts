import { type Static, Type } from 'typebox';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import { DeliverySchema } from '../deliveries/schemas.ts';

/** Why a webhook went to an endpoint, or did not. Stable: callers branch on it. */
export const ROUTING_CODES = [
  'DELIVERED',
  'PENDING',
  'HELD',
  'DEAD',
  'DISCARDED',
  'NOT_REACHED_YET',
  'NOT_SUBSCRIBED',
  'SUBSCRIBED_LATER',
  'EXPIRED',
  'WRONG_KIND',
  'ENDPOINT_CREATED_LATER',
  'ENDPOINT_DELETED',
  'NO_WEBHOOK',
  'NO_ENDPOINT',
  'NO_AUDIENCE',
  'UNKNOWN_EVENT',
] as const;
export type RoutingCode = (typeof ROUTING_CODES)[number];

export const VerdictSchema = Type.Object(
  {
    webhook: Nullable(Type.String({ description: 'Name of the webhook; null: the verdict is about all or none.' })),
    code: Type.Unsafe<RoutingCode>({
      type: 'string',
      enum: [...ROUTING_CODES],
      description: 'Of a delivery its status; else why there is none.',
    }),
    message: Type.String({ description: 'The same as a sentence, for people.' }),
    subscribedNow: Nullable(
      Type.Boolean({ description: 'Whether the endpoint takes the webhook as it is now; it may have been changed.' }),
    ),
    deliveryCount: Type.Integer({ description: 'Deliveries, replays included.' }),
    deliveries: Type.Array(DeliverySchema, {
      description: 'The first and the newest replays, up to 10, newest first.',
    }),
  },
  { title: 'RoutingVerdict' },
);
export type Verdict = Static<typeof VerdictSchema>;

export const RoutedEndpointSchema = Type.Object(
  {
    accountId: Nullable(Type.Unsafe<string>({ ...Uuid, description: 'An account of the audience.' })),
    endpointId: Nullable(Uuid),
    endpointUrl: Nullable(
      Type.String({
        description: 'Its address; of one that is deleted the last one, where deliveries to it are told.',
      }),
    ),
    endpointIsDeleted: Type.Boolean(),
    kind: Nullable(Type.Union([Type.Literal('MERCHANT'), Type.Literal('BUSINESS')])),
    verdicts: Type.Array(VerdictSchema, { description: 'One for each webhook; at least one.' }),
  },
  { title: 'RoutedEndpoint' },
);
export type RoutedEndpoint = Static<typeof RoutedEndpointSchema>;

export const RoutingReply = Type.Object({
  eventId: Uuid,
  event: Type.String(),
  recordedAt: DateTime,
  webhooks: Type.Array(Type.String(), { description: 'Webhooks that the event causes, derived ones included.' }),
  fannedOut: Type.Boolean({
    description: 'Whether the fan-out has passed the event; then every delivery that it causes is there.',
  }),
  data: Type.Array(RoutedEndpointSchema, {
    description: 'The endpoints of the audience that the caller may see, deleted ones included.',
  }),
  nextCursor: Nullable(Type.String()),
});
export type RoutingReply = Static<typeof RoutingReply>;
