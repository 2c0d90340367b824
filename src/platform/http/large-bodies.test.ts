import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpApp } from '../../../test/helpers/http-app.ts';
import { MAX_DETAILS } from '../../contracts/errors.ts';
import { write } from './route.ts';

const database = await withDatabase();
const common = { method: 'POST', tag: 'test', summary: 'test' } as const;
const handle = async () => ({ status: 204 });
const body = Type.Object({ email: Type.Optional(Type.String()) }, { additionalProperties: false });
const replies = { 204: null };
const app = await httpApp(
  [
    write({ ...common, path: '/v1/open', operationId: 'open', access: 'public', schemas: { body, replies }, handle }),
    write({
      ...common,
      path: '/v1/known',
      operationId: 'known',
      access: { key: 'events:publish' },
      schemas: { body, replies },
      handle,
    }),
    write({
      ...common,
      path: '/v1/merchant',
      operationId: 'merchant',
      access: { account: 'webhooks:manage' },
      schemas: { body, replies },
      handle,
    }),
    write({ ...common, path: '/v1/any', operationId: 'any', access: 'any', schemas: { body, replies }, handle }),
    write({
      ...common,
      path: '/v1/reader',
      operationId: 'reader',
      access: { key: 'blog:read' },
      schemas: { body, replies },
      handle,
    }),
  ],
  { database },
);

interface Envelope {
  error: { code: string; message: string; details?: { path: string; message: string }[] };
}

async function post(url: string, payload: object) {
  const reply = await app.inject({ method: 'POST', url, payload, headers: { authorization: 'Bearer key1' } });
  return {
    status: reply.statusCode,
    bytes: reply.body.length,
    error: reply.json<Envelope>().error,
  };
}
const fields = (n: number): object => Object.fromEntries(Array.from({ length: n }, (_, i) => [`u${i}`, 1]));

describe('a body full of faults gets a small answer', () => {
  test('140 000 unknown fields', async () => {
    const { status, error, bytes } = await post('/v1/known', fields(140_000));
    assert.deepEqual([status, error.code], [400, 'VALIDATION_ERROR']);
    assert.ok(bytes < 10_000, `${bytes} bytes`);
  });

  test('details are the first of many, and the message says how many more', async () => {
    const { error } = await post('/v1/known', fields(120));
    assert.equal(error.details?.length, MAX_DETAILS);
    assert.match(error.message, /^body\.u0: [^;]*(; body\.u\d: [^;]*){4}; and 115 more$/);
  });

  test('a field whose name is a megabyte', async () => {
    const { error, bytes } = await post('/v1/known', { ['x'.repeat(1_000_000)]: 1 });
    assert.equal(error.code, 'VALIDATION_ERROR');
    assert.ok(bytes < 2000, `${bytes} bytes`);
  });
});

test('who has no credential may send 16 KiB', async () => {
  assert.equal((await post('/v1/open', { email: 'x'.repeat(17_000) })).error.code, 'PAYLOAD_TOO_LARGE');
  const small = await app.inject({ method: 'POST', url: '/v1/open', payload: { email: 'x'.repeat(16_000) } });
  assert.equal(small.statusCode, 204);
});

test('what is sent to an address that there is not is not parsed: 404, or 405, however large it is, and whatever', async () => {
  for (const payload of ['x'.repeat(3_000_000), '{', '[]', '{}'])
    for (const [url, status] of [
      ['/v1/nothing', 404],
      ['/nothing', 404],
      ['/healthz', 405],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      const reply = await app.inject({ method: 'POST', url, payload, headers });
      const isClosed = reply.headers.connection === 'close';
      assert.deepEqual([reply.statusCode, isClosed], [status, payload.length > 16_384], url);
    }
});

test('nor is it waited for: the connection is closed', { timeout: 20_000 }, async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  for (const field of ['content-length: 900000000000', 'transfer-encoding: chunked']) {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST /v1/nothing HTTP/1.1\r\nhost: a\r\n${field}\r\n\r\n`);
    let said = '';
    socket.setEncoding('latin1').on('data', (text: string) => (said += text));
    await once(socket, 'close');
    assert.match(said, /^HTTP\/1\.1 404 /);
    assert.equal(said.split('HTTP/1.1').length, 2, 'it is answered once');
  }
});

test('what every reader, merchant or business may call takes 64 KiB', async () => {
  for (const path of ['/v1/any', '/v1/reader', '/v1/merchant']) {
    assert.equal((await post(path, { email: 'x'.repeat(66_000) })).error.code, 'PAYLOAD_TOO_LARGE');
    const headers = { authorization: 'Bearer key1' };
    const small = await app.inject({ method: 'POST', url: path, payload: { email: 'x'.repeat(65_000) }, headers });
    assert.equal(small.statusCode, 204);
  }
});
