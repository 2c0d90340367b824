import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createClient, PosthornError } from './index.ts';

/** What the server does with the n-th request. */
let answer: (response: ServerResponse, n: number) => unknown = (response) => response.end('{}');
let requests = 0;
const server = createServer((request, response) => {
  request.resume();
  answer(response, ++requests);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
after(() => server.close().closeAllConnections());
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = createClient({ baseUrl, maxRetries: 0 });

function serve(with_: typeof answer): void {
  requests = 0;
  answer = with_;
}

test('a failed call of which only the headers were wanted is the caller’s, and does not end the process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): unknown => unhandled.push(reason);
  process.on('unhandledRejection', note);
  serve((response) => response.writeHead(404).end('{}'));
  await assert.rejects(client.getPost({ slug: 'a' }).withHeaders(), PosthornError);
  // Rejections that nobody handled are told of after the present turn.
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});

test('a write that the service is still at is asked for again, under the same key; another conflict is told at once', async () => {
  const keys: unknown[] = [];
  const note = (request: IncomingMessage): unknown => keys.push(request.headers['idempotency-key']);
  server.on('request', note);
  const conflict = (response: ServerResponse, code: string): unknown =>
    response.writeHead(409).end(JSON.stringify({ error: { code, message: 'No.', requestId: 'r' } }));
  const patient = createClient({ baseUrl, maxRetries: 2 });
  serve((response, n) => (n > 1 ? response.end('{"id":"a"}') : conflict(response, 'IDEMPOTENCY_IN_PROGRESS')));
  assert.equal((await patient.createPost({ body: {} })).id, 'a');
  assert.deepEqual([keys.length, new Set(keys).size, typeof keys[0]], [2, 1, 'string']);
  serve((response) => conflict(response, 'SLUG_TAKEN'));
  await assert.rejects(patient.createPost({ body: {} }), { code: 'SLUG_TAKEN', requestId: 'r' });
  assert.equal(requests, 1);
  server.off('request', note);
});

test('a reply that breaks off is a failed connection, and is asked for again', async () => {
  serve((response, n) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (n > 1) return response.end('{"slug":"a"}');
    return response.write('{"slug":', () => response.destroy());
  });
  await assert.rejects(client.getPost({ slug: 'a' }), { name: 'PosthornError', code: 'CONNECTION_FAILED' });
  requests = 0;
  assert.equal((await createClient({ baseUrl, maxRetries: 1 }).getPost({ slug: 'a' })).slug, 'a');
  assert.equal(requests, 2);
});

test('a reply that does not end is over at the time limit', async () => {
  serve((response) => response.writeHead(200).write('{'));
  await assert.rejects(client.getPost({ slug: 'a' }, { timeoutMs: 50 }), { name: 'PosthornError', code: 'TIMEOUT' });
});

test('a stream may last longer than the time limit of an attempt', async (t) => {
  let end = (): void => undefined;
  serve((response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{}\n');
    end = () => void response.end('{}\n');
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stream = await client.exportEvents({}, { timeoutMs: 1000 });
  assert.ok(stream);
  const reader = stream.getReader();
  await reader.read();
  t.mock.timers.tick(10_000);
  end();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    rest += new TextDecoder().decode(part.value);
  assert.equal(rest, '{}\n');
});
