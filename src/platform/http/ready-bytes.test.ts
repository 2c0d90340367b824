import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide } from '../../../test/helpers/http-app.ts';
import { octets } from './etag.ts';
import { read } from './route.ts';

/** One that is sent as a string, and one that is sent as a buffer. */
const [TEXT, LONG] = ['é ÿ € 😀 العربية', 'é ÿ € 😀 العربية'.repeat(500)].map((text) => JSON.stringify({ text })) as [
  string,
  string,
];
let release: () => void = () => undefined;
const held = new Promise<void>((done) => (release = done));

const route = (path: string, wait: Promise<void>, text = TEXT) =>
  read({
    method: 'GET',
    path,
    operationId: path.replaceAll('/', ''),
    tag: 'test',
    summary: 'test',
    access: 'any',
    schemas: { replies: { 200: Type.Object({ text: Type.String() }) } },
    handle: async () => {
      await wait;
      return { status: 200, bytes: octets(text), headers: { etag: '"e"' } };
    },
  });

const [now, database] = [Promise.resolve(), await withDatabase()];
const routes = [route('/v1/ready', now), route('/v1/long', now, LONG), route('/v1/held', held)];
const side = await httpSide(routes, { database });
const address = await side.app.listen({ host: '127.0.0.1', port: 0 });
after(() => side.app.close());
const call = (path: string, method = 'GET'): Promise<Response> =>
  fetch(`${address}${path}`, { method, headers: { authorization: 'Bearer key1' } });

test('a ready-made body arrives byte for byte, with every header field of a reply', async () => {
  for (const [path, text] of [
    ['/v1/ready', TEXT],
    ['/v1/long', LONG],
  ] as const) {
    const reply = await call(path);
    assert.equal(reply.status, 200);
    assert.equal(await reply.text(), text);
    assert.equal(reply.headers.get('content-length'), String(Buffer.byteLength(text)));
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(reply.headers.get('etag'), '"e"');
    assert.match(reply.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
    assert.ok(reply.headers.get('ratelimit-remaining'));
  }
});

test('HEAD gives its head alone', async () => {
  for (const [path, text] of [
    ['/v1/ready', TEXT],
    ['/v1/long', LONG],
  ] as const) {
    const reply = await call(path, 'HEAD');
    assert.equal(await reply.text(), '');
    assert.equal(reply.headers.get('content-length'), String(Buffer.byteLength(text)));
  }
});

test('the requests with one are counted', async () => {
  await call('/v1/ready');
  const metrics = await (await fetch(`${address}/metrics`)).text();
  assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1ready",status="200"\} [1-9]/);
});

test('what was under way when the shutdown began is answered, and the last on its connection', async () => {
  const waiting = call('/v1/held');
  await new Promise((done) => setTimeout(done, 100));
  side.refuse();
  release();
  const reply = await waiting;
  assert.equal(await reply.text(), TEXT);
  assert.equal(reply.headers.get('connection'), 'close');
  assert.equal((await call('/v1/ready')).status, 503);
});
