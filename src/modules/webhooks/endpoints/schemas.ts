import { type Static, type TSchema, Type } from 'typebox';
import { businessWebhooks, merchantWebhooks, type WebhookName } from '../../../contracts/events/index.ts';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import type { EndpointName, EndpointRow } from './store.ts';

/** MERCHANT: the events of interface.md §6.1. BUSINESS: those of §6.2. */
export type EndpointKind = 'MERCHANT' | 'BUSINESS';

/** Every webhook of a kind. */
export const webhooksOf = (kind: EndpointKind): readonly WebhookName[] =>
  kind === 'MERCHANT' ? merchantWebhooks : businessWebhooks;

/** What an endpoint has subscribed to. */
export const subscribedTo = ({ events, kind }: Pick<EndpointRow, 'events' | 'kind'>): readonly WebhookName[] =>
  (events as WebhookName[] | null) ?? webhooksOf(kind);

/** What the two kinds are called. */
export const endpointNames = {
  MERCHANT: {
    path: '/v1/webhooks/endpoints',
    noun: 'Endpoint',
    tag: 'Webhook endpoints',
    what: 'an endpoint for merchant events',
  },
  BUSINESS: {
    path: '/v1/webhooks/business-subscriptions',
    noun: 'BusinessSubscription',
    tag: 'Business subscriptions',
    what: 'a business subscription to space booking events',
  },
} as const;

const Status = Type.Union([Type.Literal('ACTIVE'), Type.Literal('PAUSED'), Type.Literal('DISABLED')]);

export const EndpointSchema = Type.Object(
  {
    id: Uuid,
    accountId: Uuid,
    url: Type.String(),
    events: Type.Array(Type.String(), { description: 'What is sent there.' }),
    allEvents: Type.Boolean({ description: 'Also events that later versions add.' }),
    description: Type.String(),
    headerNames: Type.Array(Type.String(), { description: 'Custom headers; their values are not shown.' }),
    maxInFlight: Nullable(Type.Integer()),
    ratePerSecond: Nullable(Type.Integer()),
    status: Status,
    statusReason: Nullable(Type.String()),
    isProbing: Type.Boolean({
      description: 'It is disabled, and one held delivery is sent to see whether it is well again.',
    }),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { title: 'WebhookEndpoint' },
);

const NAMES = { MERCHANT: 'MerchantWebhook', BUSINESS: 'BusinessWebhook' } as const;

/** `type` beside `enum`: without it, Ajv looks for doubles by comparing each pair. */
const names = (kind: EndpointKind): TSchema =>
  Type.Array(Type.Unsafe<WebhookName>({ title: NAMES[kind], type: 'string', enum: [...webhooksOf(kind)] }), {
    minItems: 1,
    maxItems: webhooksOf(kind).length,
    uniqueItems: true,
    description: 'Default: every event of the kind.',
  });

const settings = {
  description: Type.Optional(Type.String({ maxLength: 500, pattern: '^[^\\u0000\\ud800-\\udfff]*$' })),
  headers: Type.Optional(
    // Names are checked in rules.ts: what does not fit here is told as a field that there is not.
    Type.Record(Type.String(), Type.String({ maxLength: 1000, pattern: '^[\\x20-\\x7e]*$' }), {
      maxProperties: 10,
      additionalProperties: false,
      description:
        'Sent along with every request; names are letters, digits and hyphens, up to 64, and those of the protocol and of Posthorn are refused.',
    }),
  ),
  maxInFlight: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 1000, description: 'Requests under way at once.' })),
  ),
  ratePerSecond: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10_000 }))),
};

const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'http(s) address that takes POST.' });

const createBody = (kind: EndpointKind) =>
  Type.Object(
    { url: Url, events: Type.Optional(names(kind)), ...settings },
    {
      additionalProperties: false,
      examples: [{ url: 'https://shop.example/hooks', events: webhooksOf(kind).slice(0, 2) }],
    },
  );
const updateBody = (kind: EndpointKind) =>
  Type.Object(
    { url: Type.Optional(Url), events: Type.Optional(Nullable(names(kind))), ...settings },
    { additionalProperties: false, minProperties: 1 },
  );

/** Body schemas of one kind. */
export const endpointBodies = (kind: EndpointKind) => ({ create: createBody(kind), update: updateBody(kind) });

export interface EndpointInput {
  url: string;
  events?: readonly WebhookName[];
  description?: string;
  headers?: Record<string, string>;
  maxInFlight?: number | null;
  ratePerSecond?: number | null;
}
export type EndpointChange = Omit<Partial<EndpointInput>, 'events'> & { events?: readonly WebhookName[] | null };

/** An endpoint as the API shows it. `headerNames` come decrypted from the caller. */
export const endpointView = (row: EndpointRow, headerNames: readonly string[]): Static<typeof EndpointSchema> => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  events: [...subscribedTo(row)],
  allEvents: row.events === null,
  description: row.description,
  headerNames: [...headerNames],
  maxInFlight: row.max_in_flight,
  ratePerSecond: row.rate_per_second,
  status: row.status,
  statusReason: row.status_reason,
  isProbing: row.status === 'DISABLED' && (row.probe_asked || row.probe_id !== null),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** What is told of an endpoint where its id is told: who looks at a delivery knows it by its address, also when it is deleted. */
export const nameProperties = {
  endpointUrl: Nullable(Type.String({ description: 'Address of the endpoint; of one that is deleted the last one.' })),
  endpointIsDeleted: Type.Boolean(),
};

export const nameView = (
  name: EndpointName | undefined,
): { endpointUrl: string | null; endpointIsDeleted: boolean } => ({
  endpointUrl: name?.url ?? null,
  endpointIsDeleted: name?.isDeleted ?? true,
});
