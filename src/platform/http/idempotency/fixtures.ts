import { Type } from 'typebox';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { httpApp } from '../../../../test/helpers/http-app.ts';
import { AppError, type ErrorCode } from '../../../contracts/errors.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { bumpVersion, readVersions } from '../../db/index.ts';
import { type AnyRoute, batch, read, write } from '../route.ts';

const Body = Type.Object({ name: Type.String(), fail: Type.Optional(Type.String()) }, { additionalProperties: false });
const SignIn = Type.Object({ name: Type.String(), email: Type.String() }, { additionalProperties: false });
const replies = { 201: Type.Object({ count: Type.Integer(), secret: Type.Optional(Type.String()) }) };
const common = { method: 'POST', tag: 'test', summary: 'test', access: 'any' } as const;
const fault = (fail: string): Error =>
  fail === 'crash' ? new Error('a bug') : new AppError(fail as ErrorCode, { message: 'as asked' });

/** Writes whose effect can be counted. `arrive` is awaited inside the first one's transaction. */
const routesOf = (arrive: () => Promise<void>): AnyRoute[] => [
  write({
    ...common,
    path: '/v1/count',
    operationId: 'count',
    schemas: { body: Body, replies },
    async handle(trx, { body }) {
      await arrive();
      const value = await bumpVersion(trx, body.name);
      if (body.fail !== undefined) throw fault(body.fail);
      return { status: 201, body: { count: value }, headers: { etag: '"1"' } };
    },
  }),
  write({
    ...common,
    path: '/v1/secret',
    operationId: 'secret',
    secretReply: true,
    schemas: { body: Body, replies },
    handle: async (trx, { body }) => ({
      status: 201,
      body: { count: await bumpVersion(trx, body.name), secret: 'whsec_x' },
    }),
  }),
  write({
    ...common,
    access: 'public',
    path: '/v1/enter',
    operationId: 'enter',
    secretReply: true,
    schemas: { body: SignIn, replies },
    handle: async (trx, { body }) => ({
      status: 201,
      body: { count: await bumpVersion(trx, body.name), secret: `token of ${body.email}` },
    }),
  }),
  write({
    ...common,
    method: 'DELETE',
    path: '/v1/things/{id}',
    operationId: 'remove',
    schemas: { params: Type.Object({ id: Type.String() }), replies: { 204: null } },
    handle: async (trx, { params }) => (await bumpVersion(trx, params.id), { status: 204 }),
  }),
  batch({
    ...common,
    path: '/v1/batch',
    operationId: 'batch',
    schemas: { body: Body, replies },
    async handle(_db, { body }) {
      throw fault(body.fail ?? 'crash');
    },
  }),
  read({
    ...common,
    method: 'GET',
    path: '/v1/count',
    operationId: 'read',
    schemas: { replies: { 204: null } },
    handle: async () => ({ status: 204 }),
  }),
];

export interface Sent {
  key?: string;
  /** Null: without a credential. */
  token?: string | null;
  node?: 0 | 1;
  path?: string;
  /** Address of the client. */
  from?: string;
}

interface Answer {
  count?: number;
  secret?: string;
  error?: { code: string; requestId: string };
}

let unique = 0;
export const newName = (): string => `name${++unique}`;

/** Two nodes on one database with routes of the test's own, and how requests are sent to them. */
export async function idempotencyFixture() {
  const database = await withDatabase();
  const { db } = database;
  const clock = new ManualClock();
  let arrive: () => Promise<void> = async () => undefined;
  const routes = routesOf(() => arrive());
  const nodes = [await httpApp(routes, { database, clock }), await httpApp(routes, { database, clock })] as const;

  /** How often the effect of a write was committed under a name: the test's own use case. */
  const count = async (name: string): Promise<number> => (await readVersions(db, [name])).get(name) ?? 0;

  async function send(body: object | undefined, sent: Sent = {}) {
    const { key, token = 'key1', node = 0, path = '/v1/count', from = '192.0.2.1' } = sent;
    const reply = await nodes[node].inject({
      method: body === undefined ? 'DELETE' : 'POST',
      url: path,
      remoteAddress: from,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { payload: body }),
    });
    const json = reply.body === '' ? {} : reply.json<Answer>();
    const { 'idempotency-replayed': replayed, etag, 'retry-after': retryAfter } = reply.headers;
    return {
      status: reply.statusCode,
      text: reply.body,
      code: json.error?.code,
      json,
      count: json.count,
      requestId: reply.headers['x-request-id'],
      replayed,
      etag,
      retryAfter,
    };
  }

  return {
    db,
    clock,
    nodes,
    count,
    send,
    /** What `/v1/count` awaits before its effect. */
    onArrival: (next: () => Promise<void>): void => {
      arrive = next;
    },
  };
}
