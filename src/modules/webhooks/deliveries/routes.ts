import { Type } from 'typebox';
import { afterCommit } from '../../../platform/db/index.ts';
import { type AnyRoute, CursorQuery, cursorPageOf, IdParams, read, Uuid, write } from '../../../platform/http/index.ts';
import { type SeenDeps, seenAccounts } from '../seen-accounts.ts';
import { type DeliveryDeps, getDelivery } from './get-delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import { discardDelivery } from './discard-delivery.ts';
import { replayDelivery } from './replay-delivery.ts';
import {
  DeliveryDetailSchema,
  DeliverySchema,
  DeliveryStatusSchema,
  deliveryView,
  filterProperties,
  ListedDeliverySchema,
  listedView,
  Reason,
} from './schemas.ts';

const common = { access: { account: 'webhooks:manage' }, tag: 'Deliveries' } as const;

export const deliveryRoutes = (deps: DeliveryDeps & SeenDeps & { wakeClaims(): void }): AnyRoute[] => [
  read({
    ...common,
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    operationId: 'listDeliveries',
    summary: 'Deliveries, newest first',
    description:
      'What one page looks through is bounded: one that looks for what is rare among millions may be short, or empty, and yet have `nextCursor`.',
    schemas: {
      query: Type.Object({
        accountId: Type.Optional(Uuid),
        status: Type.Optional(DeliveryStatusSchema),
        ...filterProperties,
        ...CursorQuery,
      }),
      replies: { 200: cursorPageOf(ListedDeliverySchema) },
    },
    errors: ['NOT_FOUND'],
    async handle(db, { query: { accountId, ...query }, caller }) {
      const page = await listDeliveries(db, query, seenAccounts(deps, caller, accountId), deps.retentionDays);
      return { status: 200, body: { data: page.data.map(listedView), nextCursor: page.nextCursor } };
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
    description:
      'At once, with five fresh attempts. Every call makes one; receivers deduplicate by tradeSessionId and event. Of one that waits for its next attempt or is held, the new one takes the place: it becomes DISCARDED (`REPLAYED`). One that is being sent at this moment is 409.',
    schemas: { params: IdParams, replies: { 202: DeliverySchema } },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async handle(trx, { params, caller, env }) {
      const row = await replayDelivery(deps, trx, { id: params.id, caller }, env);
      afterCommit(trx, () => deps.wakeClaims());
      return { status: 202, body: deliveryView(row) };
    },
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/webhooks/deliveries/{id}/discard',
    operationId: 'discardDelivery',
    summary: 'End a delivery that did not arrive',
    description: 'DEAD, HELD, and PENDING unless it is being sent at this moment. It can be replayed later.',
    schemas: {
      params: IdParams,
      body: Type.Object({ reason: Reason }, { additionalProperties: false }),
      replies: { 200: DeliverySchema },
    },
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    handle: async (trx, { params, body, caller, env }) => ({
      status: 200,
      body: deliveryView(await discardDelivery(deps, trx, { id: params.id, caller, ...body }, env)),
    }),
  }),
];
