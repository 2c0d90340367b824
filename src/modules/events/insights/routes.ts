import { Type } from 'typebox';
import { BUCKETS } from '../../../lib/time-buckets.ts';
import { readMuch, type Reads } from '../../../platform/db/index.ts';
import {
  type AnyRoute,
  DateTime,
  read,
  windowOf,
  windowProperties,
  windowQuery,
} from '../../../platform/http/index.ts';
import { accountsOf, type AuditDeps, filterOf } from '../list-events.ts';
import { EventQuery } from '../schemas.ts';
import { getEventInsights } from './get-event-insights.ts';

const { event, accountId } = EventQuery.properties;

const Reply = Type.Object(
  {
    ...windowProperties(),
    total: Type.Integer(),
    events: Type.Array(Type.Object({ event: Type.String(), count: Type.Integer() }), {
      description: 'Of the whole window, most frequent first.',
    }),
    data: Type.Array(
      Type.Object({
        start: DateTime,
        total: Type.Integer(),
        events: Type.Record(Type.String(), Type.Integer(), {
          description: 'By name; names that did not occur are absent.',
        }),
      }),
      { description: 'Every bucket in order, also without events. The first and the last may be cut by the window.' },
    ),
  },
  { title: 'EventInsights' },
);

export const insightRoutes = (deps: AuditDeps & { reads: Reads }): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/insights/events',
    access: { account: 'webhooks:manage' },
    operationId: 'getEventInsights',
    tag: 'Insights',
    summary: 'How many events were recorded when, by name',
    description:
      'Counted from the audit trail when it is asked for. Accounts see events whose audience names them, operators and keys with scope `admin` all.',
    schemas: { query: Type.Object({ ...windowQuery(), event, accountId }), replies: { 200: Reply } },
    errors: ['NOT_FOUND'],
    async handle(_db, { query, caller, env }) {
      const window = windowOf(query, { now: env.now, buckets: BUCKETS, usual: 'hour' });
      const asked = { event: query.event, accountId: query.accountId };
      const filter = filterOf(asked as EventQuery, accountsOf(deps, caller, query));
      return { status: 200, body: await readMuch(deps.reads, (trx) => getEventInsights(trx, filter, window)) };
    },
  }),
];
