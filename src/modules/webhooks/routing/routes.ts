import { Type } from 'typebox';
import { type AnyRoute, CursorQuery, IdParams, read } from '../../../platform/http/index.ts';
import { explainRouting, type RoutingDeps } from './explain-routing.ts';
import { RoutingReply } from './schemas.ts';

export const routingRoutes = (deps: RoutingDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/events/{id}/routing',
    access: { account: 'webhooks:manage' },
    operationId: 'explainRouting',
    tag: 'Events',
    summary: 'Who was sent an event, and who was not and why',
    description:
      'Each endpoint of the audience that the caller may see, with a verdict for each webhook of the event. Where nothing was sent, it goes by the endpoint as it is now.',
    schemas: { params: IdParams, query: Type.Object(CursorQuery), replies: { 200: RoutingReply } },
    errors: ['NOT_FOUND'],
    handle: async (db, { params, query, caller }) => ({
      status: 200,
      body: await explainRouting(deps, db, { id: params.id, caller, ...query }),
    }),
  }),
];
