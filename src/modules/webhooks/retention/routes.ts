import { Type } from 'typebox';
import { type AnyRoute, IdParams, Nullable, read, Uuid, write } from '../../../platform/http/index.ts';
import { getDeliveryRetention, type RetentionDeps } from './get-delivery-retention.ts';
import { setDeliveryRetention } from './set-delivery-retention.ts';

const Days = Nullable(Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days; null: as long as is usual.' }));
const DeliveryRetention = Type.Object(
  {
    accountId: Uuid,
    days: Days,
    usualDays: Type.Integer({ description: '`DELIVERY_RETENTION_DAYS`; 0: for ever.' }),
  },
  { title: 'DeliveryRetention' },
);
const common = { path: '/v1/admin/accounts/{id}/delivery-retention', access: 'operator', tag: 'Deliveries' } as const;

export const retentionRoutes = (deps: RetentionDeps): AnyRoute[] => [
  read({
    ...common,
    method: 'GET',
    operationId: 'getDeliveryRetention',
    summary: 'How long the deliveries of an account are kept',
    schemas: { params: IdParams, replies: { 200: DeliveryRetention } },
    errors: ['NOT_FOUND'],
    handle: async (db, { params }) => ({ status: 200, body: await getDeliveryRetention(deps, db, params.id) }),
  }),
  write({
    ...common,
    method: 'PUT',
    operationId: 'setDeliveryRetention',
    summary: 'Keep the deliveries of an account for longer or shorter than is usual',
    description:
      'A shorter time hides delivered and discarded ones at once. Those of all accounts are removed week by week, when the longest of all times is over.',
    schemas: {
      params: IdParams,
      body: Type.Object({ days: Days }, { additionalProperties: false }),
      replies: { 200: DeliveryRetention },
    },
    errors: ['NOT_FOUND'],
    handle: async (trx, { params, body, env }) => ({
      status: 200,
      body: await setDeliveryRetention(deps, trx, { accountId: params.id, days: body.days }, env),
    }),
  }),
];
