import { Readable } from 'node:stream';
import { type TSchema, Type } from 'typebox';
import { type AnyRoute, read, Uuid } from '../../platform/http/index.ts';
import { exportEvents } from './export-events.ts';
import { accountsOf, type AuditDeps, filterOf, getEvent } from './list-events.ts';
import { EventQuery, EventSchema, eventView } from './schemas.ts';
import type { LoggedEvent } from './types.ts';

/** How a declared reply says that it is no JSON document but one in each line. */
const NDJSON = { content: { 'application/x-ndjson': { schema: EventSchema } } } as unknown as TSchema;

const ExportQuery = Type.Object({
  ...EventQuery.properties,
  after: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Only events behind the one of this id.' })),
});

async function* lines(events: AsyncIterable<LoggedEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(eventView(event))}\n`;
}

export const exportRoute = (deps: AuditDeps): AnyRoute =>
  read({
    method: 'GET',
    path: '/v1/events/export',
    access: 'operator',
    operationId: 'exportEvents',
    tag: 'Events',
    summary: 'The audit trail, oldest first, as NDJSON',
    description:
      'One event in each line. It ends before what a transaction that is still open may add, so it gives the same lines again, and then more. After a broken connection, or for what is new, go on with `after`, the id of the last event.',
    schemas: { query: ExportQuery, replies: { 200: NDJSON } },
    errors: ['NOT_FOUND'],
    async handle(db, { query, caller }) {
      const { after } = query;
      const start = after === undefined ? 0 : (await getEvent(db, after, 'all')).position;
      const filter = filterOf(query, accountsOf(deps, caller, query));
      return {
        status: 200,
        body: Readable.from(lines(exportEvents(db, filter, start)), { highWaterMark: 1 }),
        headers: {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="posthorn-events.ndjson"',
          'cache-control': 'private, no-store',
        },
      };
    },
  });
