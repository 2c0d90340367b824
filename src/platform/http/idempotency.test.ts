import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { httpApp } from '../../../test/helpers/http-app.ts';
import { AppError, type ErrorCode } from '../../contracts/errors.ts';
import { ManualClock } from '../../lib/clock.ts';
import { bumpVersion, readVersions } from '../db/index.ts';
import { purgeIdempotencyKeys } from './idempotency.ts';
import { batch, read, write } from './route.ts';

const database = await withDatabase();
const { db } = database;
const clock = new ManualClock();

/** How often the effect of a write was committed under a name: the test's own use case. */
const count = async (name: string): Promise<number> => (await readVersions(db, [name])).get(name) ?? 0;

let onArrival: () => Promise<void> = async () => undefined;
const Body = Type.Object({ name: Type.String(), fail: Type.Optional(Type.String()) }, { additionalProperties: false });
const replies = { 201: Type.Object({ count: Type.Integer(), secret: Type.Optional(Type.String()) }) };
const common = { method: 'POST', tag: 'test', summary: 'test', access: 'any' } as const;
const fault = (fail: string): Error =>
  fail === 'crash' ? new Error('a bug') : new AppError(fail as ErrorCode, { message: 'as asked' });

const routes = [
  write({
    ...common,
    path: '/v1/count',
    operationId: 'count',
    schemas: { body: Body, replies },
    async handle(trx, { body }) {
      await onArrival();
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
const nodes = [await httpApp(routes, { database, clock }), await httpApp(routes, { database, clock })] as const;

interface Sent {
  key?: string;
  token?: string;
  node?: 0 | 1;
  path?: string;
}
let unique = 0;
const newName = (): string => `name${++unique}`;

async function send(body: object | undefined, { key, token = 'key1', node = 0, path = '/v1/count' }: Sent = {}) {
  const reply = await nodes[node].inject({
    method: body === undefined ? 'DELETE' : 'POST',
    url: path,
    headers: { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    ...(body === undefined ? {} : { payload: body }),
  });
  const json = reply.body === '' ? {} : reply.json<{ count?: number; error?: { code: string } }>();
  const { 'idempotency-replayed': replayed, etag, 'retry-after': retryAfter } = reply.headers;
  return {
    status: reply.statusCode,
    text: reply.body,
    code: json.error?.code,
    count: json.count,
    replayed,
    etag,
    retryAfter,
  };
}

describe('the same key', () => {
  test('with the same request: the effect once, and the same answer again', async () => {
    const name = newName();
    const first = await send({ name }, { key: 'again' });
    const second = await send({ name }, { key: 'again' });
    assert.deepEqual([first.status, first.count, first.replayed], [201, 1, undefined]);
    assert.deepEqual([second.status, second.text, second.replayed], [201, first.text, 'true']);
    assert.equal(second.etag, first.etag);
    assert.equal(await count(name), 1);
  });

  test('quoted is the same as bare', async () => {
    const name = newName();
    await send({ name }, { key: '"quoted"' });
    assert.equal((await send({ name }, { key: 'quoted' })).replayed, 'true');
  });

  test('with another body: 422, and no effect', async () => {
    const [name, other] = [newName(), newName()];
    await send({ name }, { key: 'other-body' });
    const second = await send({ name: other }, { key: 'other-body' });
    assert.deepEqual([second.status, second.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal(await count(other), 0);
  });

  test('with another address of the same route: 422', async () => {
    await send(undefined, { key: 'address', path: '/v1/things/a' });
    assert.equal((await send(undefined, { key: 'address', path: '/v1/things/b' })).status, 422);
    const again = await send(undefined, { key: 'address', path: '/v1/things/a' });
    assert.deepEqual([again.status, again.text, again.replayed], [204, '', 'true']);
  });

  test('of another caller, or on another route, is another key', async () => {
    const name = newName();
    await send({ name }, { key: 'scoped' });
    assert.equal((await send({ name }, { key: 'scoped', token: 'key2' })).count, 2);
    assert.equal((await send({ name }, { key: 'scoped', path: '/v1/secret' })).count, 3);
  });

  test('is answered by every node', async () => {
    const name = newName();
    await send({ name }, { key: 'nodes' });
    assert.equal((await send({ name }, { key: 'nodes', node: 1 })).replayed, 'true');
    assert.equal(await count(name), 1);
  });

  test('without a key every request has its effect', async () => {
    const name = newName();
    await send({ name });
    assert.equal((await send({ name })).count, 2);
  });
});

describe('at the same time', () => {
  /** Sends one request that waits inside its use case, then another one; gives both answers. */
  async function overlapping(second: Sent) {
    const name = newName();
    const key = `overlap-${name}`;
    const arrived = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    onArrival = () => (arrived.resolve(), go.promise);
    const first = send({ name }, { key });
    await arrived.promise;
    onArrival = async () => undefined;
    const refused = await send({ name }, { key, ...second });
    go.resolve();
    return { name, first: await first, refused };
  }

  test('on the same node: 409 with Retry-After, and the effect once', async () => {
    const { name, first, refused } = await overlapping({});
    assert.deepEqual([refused.status, refused.code, refused.retryAfter], [409, 'IDEMPOTENCY_IN_PROGRESS', '1']);
    assert.deepEqual([first.status, await count(name)], [201, 1]);
  });

  test('on another node: 409 too', onlyPostgres, async () => {
    const { name, first, refused } = await overlapping({ node: 1 });
    assert.deepEqual([refused.status, refused.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    assert.deepEqual([first.status, await count(name)], [201, 1]);
  });

  test('fifty at once on two nodes: one effect, and each answer is 201 or 409', async () => {
    const name = newName();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => send({ name }, { key: 'fifty', node: i % 2 ? 1 : 0 })),
    );
    assert.equal(await count(name), 1);
    assert.ok(
      all.every((r) => [201, 409].includes(r.status)),
      JSON.stringify(all.map((r) => r.status)),
    );
    assert.ok(all.some((r) => r.status === 201 && r.replayed === undefined));
  });
});

describe('failures', () => {
  test('a refusal by the use case is given again, without running it again', async () => {
    const name = newName();
    const first = await send({ name, fail: 'INVALID_STATE' }, { key: 'refused' });
    const second = await send({ name, fail: 'INVALID_STATE' }, { key: 'refused' });
    assert.deepEqual([first.status, first.replayed], [409, undefined]);
    assert.deepEqual([second.status, second.text, second.replayed], [409, first.text, 'true']);
    assert.equal(await count(name), 0);
  });

  test('also by a use case that commits by itself', async () => {
    const body = { name: newName(), fail: 'INVALID_STATE' };
    await send(body, { key: 'refused', path: '/v1/batch' });
    assert.equal((await send(body, { key: 'refused', path: '/v1/batch' })).replayed, 'true');
  });

  for (const code of ['VALIDATION_ERROR', 'UNAUTHENTICATED', 'RATE_LIMITED', 'UNAVAILABLE', 'crash']) {
    test(`${code} is not kept: the request may be tried again`, async () => {
      const body = { name: newName(), fail: code };
      const first = await send(body, { key: `kept-${code}` });
      assert.ok(first.status >= 400);
      const second = await send(body, { key: `kept-${code}` });
      assert.deepEqual([second.status, second.replayed], [first.status, undefined]);
    });
  }

  test('a use case that fails after its effect leaves neither effect nor key', async () => {
    const name = newName();
    assert.equal((await send({ name, fail: 'crash' }, { key: 'crash' })).status, 500);
    assert.equal(await count(name), 0);
    const { rows } = await sql`select 1 from idempotency_keys where key = 'crash'`.execute(db);
    assert.equal(rows.length, 0);
    assert.equal((await send({ name }, { key: 'crash' })).count, 1);
  });

  for (const key of ['', '""', 'with space', 'tab\there', 'x'.repeat(256), '"open', 'ümlaut']) {
    test(`a bad key is 400: ${JSON.stringify(key.slice(0, 12))}`, async () => {
      const name = newName();
      const reply = await send({ name }, { key });
      assert.deepEqual([reply.status, reply.code], key === '"open' ? [201, undefined] : [400, 'VALIDATION_ERROR']);
      assert.equal(await count(name), key === '"open' ? 1 : 0);
    });
  }

  test('a key of 255 characters is taken, and none is needed for a read', async () => {
    assert.equal((await send({ name: newName() }, { key: 'x'.repeat(255) })).status, 201);
    const reply = await nodes[0].inject({
      method: 'GET',
      url: '/v1/count',
      headers: { authorization: 'Bearer key1', 'idempotency-key': 'r' },
    });
    assert.equal(reply.statusCode, 204);
  });
});

describe('what is stored', () => {
  const rowOf = async (key: string) => {
    const { rows } = await sql<{ body: string; request_hash: string }>`
      select body, request_hash from idempotency_keys where key = ${key}`.execute(db);
    return rows[0];
  };

  test('a reply with a secret is sealed, and given again in the clear', async () => {
    const name = newName();
    const first = await send({ name }, { key: 'secret', path: '/v1/secret' });
    assert.match(first.text, /whsec_x/);
    const row = await rowOf('secret');
    assert.ok(row && row.body.startsWith('v1.') && !row.body.includes('whsec_x'));
    assert.equal((await send({ name }, { key: 'secret', path: '/v1/secret' })).text, first.text);
  });

  test('the request is kept as a digest that needs the master key', async () => {
    const body = { name: newName() };
    await send(body, { key: 'digest' });
    const text = JSON.stringify(body);
    for (const plain of [text, `/v1/count${text}`, `/v1/count\0${text}`]) {
      for (const form of ['hex', 'base64', 'base64url'] as const) {
        assert.notEqual((await rowOf('digest'))?.request_hash, createHash('sha256').update(plain).digest(form));
      }
    }
  });

  test('a key answers for 24 hours, then it is free again', async () => {
    const name = newName();
    await send({ name }, { key: 'day' });
    clock.advance(24 * 3600 * 1000 - 1);
    assert.equal((await send({ name }, { key: 'day' })).replayed, 'true');
    clock.advance(1);
    assert.equal((await send({ name }, { key: 'day' })).count, 2);
    assert.equal((await send({ name }, { key: 'day' })).replayed, 'true');
  });

  test('the purge removes what is older than 24 hours, and nothing else', async () => {
    const total = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from idempotency_keys`.execute(db)).rows[0]?.n;
    await send({ name: newName() }, { key: 'old' });
    clock.advance(24 * 3600 * 1000);
    await send({ name: newName() }, { key: 'young' });
    assert.equal(await purgeIdempotencyKeys(db, new Date(clock.now())), false);
    assert.equal(await total(), 1);
    assert.ok(await rowOf('young'));
  });
});
