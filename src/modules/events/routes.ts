import { Type } from 'typebox';
import { type AnyRoute, batch, CursorQuery, cursorPageOf, IdParams, read } from '../../platform/http/index.ts';
import type { Reads } from '../../platform/db/index.ts';
import { EventTypesReply, listEventTypes } from './list-event-types.ts';
import { exportRoute } from './export-route.ts';
import { insightRoutes } from './insights/routes.ts';
import { accountsOf, type AuditDeps, getEvent, listEvents } from './list-events.ts';
import { publishEvents, type PublishEventsDeps, unknownNames } from './publish-events.ts';
import { EventQuery, EventSchema, eventView, PublishBody, PublishReply } from './schemas.ts';

export interface EventRoutesDeps extends PublishEventsDeps, AuditDeps {
  reads: Reads;
}

const tag = 'Events';

export const eventRoutes = (deps: EventRoutesDeps): AnyRoute[] => [
  batch({
    method: 'POST',
    path: '/v1/events',
    access: { key: 'events:publish' },
    operationId: 'publishEvents',
    tag,
    summary: 'Publish one event or a batch',
    description: 'All or nothing; the answer comes after the commit.',
    schemas: { body: PublishBody, replies: { 202: PublishReply } },
    moreFaults: unknownNames,
    handle: (_db, { body, env }, claim) => publishEvents(deps, body, env, claim),
    handleShort: ({ body, env }) => publishEvents(deps, body, env, undefined),
  }),
  read({
    method: 'GET',
    path: '/v1/events',
    access: { account: 'webhooks:manage' },
    operationId: 'listEvents',
    tag,
    summary: 'The audit trail, newest first',
    schemas: {
      query: Type.Object({ ...EventQuery.properties, ...CursorQuery }),
      replies: { 200: cursorPageOf(EventSchema) },
    },
    errors: ['NOT_FOUND'],
    async handle(db, { query, caller }) {
      const page = await listEvents(db, query, accountsOf(deps, caller, query));
      return { status: 200, body: { data: page.data.map(eventView), nextCursor: page.nextCursor } };
    },
  }),
  exportRoute(deps),
  read({
    method: 'GET',
    path: '/v1/events/{id}',
    access: { account: 'webhooks:manage' },
    operationId: 'getEvent',
    tag,
    summary: 'One event of the audit trail',
    schemas: { params: IdParams, replies: { 200: EventSchema } },
    errors: ['NOT_FOUND'],
    async handle(db, { params, caller }) {
      return { status: 200, body: eventView(await getEvent(db, params.id, deps.visibleAccounts(caller))) };
    },
  }),
  read({
    method: 'GET',
    path: '/v1/event-types',
    access: 'any',
    operationId: 'listEventTypes',
    tag,
    summary: 'The catalogue of events',
    schemas: { replies: { 200: EventTypesReply } },
    handle: async () => ({ status: 200, body: listEventTypes() }),
  }),
  ...insightRoutes(deps),
];
