import { Type } from 'typebox';
import { afterCommit } from '../../../platform/db/index.ts';
import {
  type AnyRoute,
  CursorQuery,
  cursorPageOf,
  DateTime,
  IdParams,
  read,
  Uuid,
  write,
} from '../../../platform/http/index.ts';
import { type DeliveryDeps, getDelivery } from './get-delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import { replayDelivery } from './replay-delivery.ts';
import { DeliveryDetailSchema, DeliverySchema, DeliveryStatusSchema, deliveryView } from './schemas.ts';

const common = { access: { account: 'webhooks:manage' }, tag: 'Deliveries' } as const;

export const deliveryRoutes = (deps: DeliveryDeps & { wakeClaims(): void }): AnyRoute[] => [
  read({
    ...common,
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    operationId: 'listDeliveries',
    summary: 'Deliveries, newest first',
    schemas: {
      query: Type.Object({
        status: Type.Optional(DeliveryStatusSchema),
        event: Type.Optional(Type.String({ maxLength: 100 })),
        endpointId: Type.Optional(Uuid),
        tradeSessionId: Type.Optional(Type.String({ maxLength: 128 })),
        since: Type.Optional(DateTime),
        until: Type.Optional(DateTime),
        ...CursorQuery,
      }),
      replies: { 200: cursorPageOf(DeliverySchema) },
    },
    async handle(db, { query, caller }) {
      const page = await listDeliveries(db, query, deps.visibleAccounts(caller), deps.retentionDays);
      return { status: 200, body: { data: page.data.map(deliveryView), nextCursor: page.nextCursor } };
    },
  }),
  read({
    ...common,
    method: 'GET',
    path: '/v1/webhooks/deliveries/{id}',
    operationId: 'getDelivery',
    summary: 'A delivery with every attempt',
    schemas: { params: IdParams, replies: { 200: DeliveryDetailSchema } },
    errors: ['NOT_FOUND'],
    handle: async (db, { params, caller }) => ({ status: 200, body: await getDelivery(deps, db, caller, params.id) }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/webhooks/deliveries/{id}/replay',
    operationId: 'replayDelivery',
    summary: 'Deliver it again, as a new delivery',
    description: 'Every call makes one; receivers deduplicate by tradeSessionId and event.',
    schemas: { params: IdParams, replies: { 202: DeliverySchema } },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async handle(trx, { params, caller, env }) {
      const row = await replayDelivery(deps, trx, { id: params.id, caller }, env);
      afterCommit(trx, () => deps.wakeClaims());
      return { status: 202, body: deliveryView(row) };
    },
  }),
];
