import { Type } from 'typebox';
import { afterCommit } from '../../../platform/db/index.ts';
import {
  type AnyRoute,
  CursorQuery,
  cursorPageOf,
  DateTime,
  Nullable,
  read,
  Uuid,
  write,
} from '../../../platform/http/index.ts';
import { decodePosition, encodePosition } from '../position-cursor.ts';
import type { Readers } from './create-readers.ts';
import { listFailures, listReaders, rebuildReader, retryFailure } from './operate.ts';

const ReaderSchema = Type.Object(
  {
    name: Type.String(),
    description: Nullable(Type.String()),
    events: Nullable(Type.Array(Type.String(), { description: 'What it reacts to; null: to all.' })),
    lag: Type.Integer({ description: 'Events of the log that it has not handled yet.' }),
    active: Type.Boolean({ description: 'Whether a node runs it; false 15 seconds after the last one died.' }),
    updatedAt: DateTime,
    retrying: Type.Integer({ description: 'Events at which it failed and that it tries again by itself.' }),
    setAside: Type.Integer({ description: 'Events at which it failed for good; see its failures.' }),
  },
  { title: 'Reader' },
);
const FailureSchema = Type.Object(
  {
    eventId: Uuid,
    event: Type.String(),
    error: Type.String(),
    attempts: Type.Integer(),
    firstFailedAt: DateTime,
    lastFailedAt: DateTime,
    nextAttemptAt: Nullable(DateTime),
  },
  { title: 'Failure' },
);

const name = Type.String({ maxLength: 100, description: 'Name of a reader.' });
const NameParams = Type.Object({ name });
const common = { access: 'operator', tag: 'Readers' } as const;

/** For operators: the readers of the log, and what they could not handle. */
export const readerRoutes = (readers: Pick<Readers, 'reactions' | 'wake'>): readonly AnyRoute[] => [
  read({
    ...common,
    method: 'GET',
    path: '/v1/admin/readers',
    operationId: 'listReaders',
    summary: 'Readers of the event log',
    description: 'The webhook fan-out and each reaction, with how far they are behind.',
    schemas: { replies: { 200: Type.Object({ data: Type.Array(ReaderSchema) }) } },
    handle: async (db) => ({ status: 200, body: { data: await listReaders(db, readers.reactions) } }),
  }),
  read({
    ...common,
    method: 'GET',
    path: '/v1/admin/readers/{name}/failures',
    operationId: 'listReaderFailures',
    summary: 'Events at which a reaction failed',
    description: 'Those without `nextAttemptAt` are set aside until they are tried again.',
    schemas: { params: NameParams, query: Type.Object(CursorQuery), replies: { 200: cursorPageOf(FailureSchema) } },
    errors: ['NOT_FOUND'],
    async handle(db, { params, query: { cursor, limit } }) {
      const after = cursor === undefined ? 0 : decodePosition(cursor);
      const { data, next } = await listFailures(db, params.name, { after, limit });
      return {
        status: 200,
        body: {
          data: data.map(({ firstFailedAt, lastFailedAt, nextAttemptAt, ...failure }) => ({
            ...failure,
            firstFailedAt: firstFailedAt.toISOString(),
            lastFailedAt: lastFailedAt.toISOString(),
            nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
          })),
          nextCursor: next === null ? null : encodePosition(next),
        },
      };
    },
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/admin/readers/{name}/failures/{eventId}/retry',
    operationId: 'retryReaderFailure',
    summary: 'Try an event again',
    schemas: { params: Type.Object({ name, eventId: Uuid }), replies: { 202: null } },
    keyPerResource: true,
    errors: ['NOT_FOUND'],
    async handle(trx, { params, env }) {
      await retryFailure(trx, params, env);
      afterCommit(trx, () => readers.wake());
      return { status: 202 };
    },
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/admin/readers/{name}/rebuild',
    operationId: 'rebuildReader',
    summary: 'Have a reaction read the log again from its start',
    description: 'What it computed is computed anew; what it did once is not done again.',
    schemas: { params: NameParams, replies: { 202: null } },
    keyPerResource: true,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async handle(trx, { params, env }) {
      await rebuildReader(trx, params.name, readers.reactions, env);
      afterCommit(trx, () => readers.wake());
      return { status: 202 };
    },
  }),
];
