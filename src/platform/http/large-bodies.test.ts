import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { before, describe, test } from 'node:test';
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
  const { error } = await post('/v1/open', { email: 'x'.repeat(17_000) });
  assert.equal(error.code, 'PAYLOAD_TOO_LARGE');
  assert.equal(error.message, 'The body is larger than this operation takes (16384 bytes).');
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
      assert.equal((await app.inject({ method: 'POST', url, payload, headers })).statusCode, status, url);
    }
});

describe('of a body that nobody reads', { timeout: 60_000 }, () => {
  const LONG = 'content-length: 900000000000';
  const CHUNKED = 'transfer-encoding: chunked';
  before(() => app.listen({ port: 0, host: '127.0.0.1' }));

  /** Asks with a head; what comes back is in `said`. */
  async function asked(...head: string[]) {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    const state = { socket, closed: new Promise((done) => socket.once('close', done)), said: '' };
    socket.setEncoding('latin1').on('data', (text: string) => (state.said += text));
    socket.write([...head, 'host: a', '', ''].join('\r\n'));
    while (!state.said.includes('\r\n\r\n')) await once(socket, 'data');
    return state;
  }

  test('no more is taken behind the reply than of one that is read: then the connection ends', async () => {
    const part = 'x'.repeat(65_536);
    for (const [first, status] of [
      ['POST /v1/nothing', 404],
      ['POST /healthz', 405],
      ['GET /healthz', 200],
      ['HEAD /healthz', 200],
      ['POST /v1/any', 401],
      ['POST /v1/known', 401],
      ['POST /v1/open', 415],
      ['GET /%zz', 400],
    ] as const)
      for (const field of [LONG, CHUNKED]) {
        const state = await asked(`${first} HTTP/1.1`, field);
        const { socket } = state;
        let isClosed = false;
        void state.closed.then(() => (isClosed = true));
        // What lies in the buffers of the system comes on top.
        let sent = 0;
        for (; !isClosed && sent < 50_000_000; sent += part.length) {
          const isRoom = socket.write(field === LONG ? part : `10000\r\n${part}\r\n`);
          if (!isRoom) await Promise.race([new Promise((done) => socket.once('drain', done)), state.closed]);
        }
        socket.destroy();
        assert.ok(isClosed, `${first} with ${field} took ${sent} bytes`);
        assert.match(state.said, new RegExp(`^HTTP/1\\.1 ${status} `), first);
        assert.equal(state.said.split('HTTP/1.1').length, 2, 'it is answered once');
      }
  });

  test('what may be sent is, and the connection goes on', async () => {
    const next = 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    const body = 'x'.repeat(2_000_000);
    for (const [field, text] of [
      [`content-length: ${body.length}`, body],
      [CHUNKED, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    ] as const) {
      const state = await asked('POST /v1/nothing HTTP/1.1', field);
      state.socket.write(text + next);
      await state.closed;
      assert.match(state.said, /^HTTP\/1\.1 404 [\s\S]*HTTP\/1\.1 200 /, field);
    }
  });
});

test('what every reader, merchant or business may call takes 64 KiB', async () => {
  for (const path of ['/v1/any', '/v1/reader', '/v1/merchant']) {
    assert.equal((await post(path, { email: 'x'.repeat(66_000) })).error.code, 'PAYLOAD_TOO_LARGE');
    const headers = { authorization: 'Bearer key1' };
    const small = await app.inject({ method: 'POST', url: path, payload: { email: 'x'.repeat(65_000) }, headers });
    assert.equal(small.statusCode, 204);
  }
});
