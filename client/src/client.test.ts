import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createClient, type DeadLetterGroup, PosthornError } from './index.ts';

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

test('what a reply gives as the class of a failure can be looked for by it, without a cast', async () => {
  const group = { endpointId: 'e', errorClass: 'NEWER_THAN_THIS' } as DeadLetterGroup;
  const { endpointId, errorClass } = group;
  serve((response) => response.end('{"data":[],"nextCursor":null}'));
  await client.listDeliveries({ status: 'DEAD', errorClass });
  await client.listDeadLetters({ errorClass });
  await client.replayDeliveries({ body: { filter: { status: 'DEAD', endpointId, errorClass } } });
  await client.discardDeliveries({ body: { filter: { status: 'DEAD', endpointId, errorClass }, reason: 'none' } });
  assert.equal(requests, 4);
});

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

test('a list that goes on behind the last page that can be had does not end as if it were whole', async () => {
  let [asked, total] = [0, 0];
  const fetch = (async (url: string) => {
    const page = Number(new URL(url).searchParams.get('page') ?? 1);
    asked = Math.max(asked, page);
    const data = Array.from({ length: Math.min(2, total - 2 * (page - 1)) }, () => ({}));
    // Those of a service of before are more than can be had.
    return Response.json({ sort: 'newest', page, pages: Math.ceil(total / 2), total, data });
  }) as unknown as typeof globalThis.fetch;
  const over = createClient({ baseUrl: 'http://x.test', fetch });
  const walk = async (of: number, input = {}): Promise<number> => {
    total = of;
    let count = 0;
    for await (const _ of over.listPosts({ page: 9998, ...input })) count++;
    return count;
  };
  assert.equal(await walk(20_000), 6);
  assert.equal(await walk(19_999), 5);
  assert.equal(await walk(19_999, { page: 10_000, limit: 2 }), 1);
  await assert.rejects(walk(20_003), {
    name: 'PosthornError',
    code: 'VALIDATION_ERROR',
    message:
      'VALIDATION_ERROR: the list has 3 items more, behind page 10000, the last that can be had: narrow the filter, or take a larger limit',
  });
  assert.equal(asked, 10_000);
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

test('an operation that waits has its time limit behind the wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let arrived = (): void => undefined;
  const asked = (): Promise<void> => new Promise((done) => (arrived = done));
  let reply: ServerResponse | undefined;
  serve((response) => ((reply = response), arrived()));
  let first = asked();
  const held = client.getEndpointFeed({ id: 'e', wait: 30 });
  await first;
  t.mock.timers.tick(59_000);
  reply?.end('{"data":[],"nextCursor":"c"}');
  assert.equal((await held).nextCursor, 'c');
  first = asked();
  const late = client.getEndpointFeed({ id: 'e', wait: 30 }, { timeoutMs: 1000 });
  await first;
  t.mock.timers.tick(31_000);
  await assert.rejects(late, { code: 'TIMEOUT' });
});

test('a credential that does not come ends with the call, and one that fails is told as it failed', async () => {
  serve((response) => response.end('{"data":[]}'));
  const never = createClient({ baseUrl, credential: () => new Promise(() => undefined), maxRetries: 0 });
  await assert.rejects(never.listPosts({}, { timeoutMs: 20 }), { name: 'PosthornError', code: 'TIMEOUT' });
  const reason = new Error('no longer wanted');
  const stop = new AbortController();
  const call = never.listPosts({}, { signal: stop.signal });
  stop.abort(reason);
  await assert.rejects(call, reason);
  await assert.rejects(never.listPosts({}, { signal: AbortSignal.abort(reason) }), reason);
  const signedOut = new Error('signed out');
  const throwing = createClient({
    baseUrl,
    credential: () => {
      throw signedOut;
    },
  });
  // An abort that comes after the call has nobody who waits for it.
  const later = new AbortController();
  await assert.rejects(Promise.resolve(throwing.getMe({}, { signal: later.signal })), signedOut);
  later.abort();
  await new Promise((done) => setImmediate(done));
  const failing = createClient({ baseUrl, credential: () => Promise.reject(signedOut) });
  await assert.rejects(failing.listPosts(), signedOut);
  assert.equal(requests, 0);
});

test('a stream that breaks off is a failed connection; one that its caller ends has the caller’s reason', async () => {
  const begin = (response: ServerResponse): unknown =>
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{}\n');
  let broken: ServerResponse | undefined;
  serve((response) => begin((broken = response)));
  const reader = (await client.exportEvents())?.getReader();
  await reader?.read();
  broken?.destroy();
  await assert.rejects(async () => reader?.read(), { name: 'PosthornError', code: 'CONNECTION_FAILED', status: null });
  serve(begin);
  const stop = new AbortController();
  const stream = await client.exportEvents({}, { signal: stop.signal });
  const reason = new Error('no longer wanted');
  await assert.rejects(async () => {
    for await (const _ of stream ?? []) stop.abort(reason);
  }, reason);
});

test('the caller’s own If-None-Match that fits is told by an error: there is no reply to give', async () => {
  serve((response) => response.writeHead(304, { etag: '"a"', 'x-request-id': 'r-1' }).end());
  const call = client.getPost({ slug: 'a' }, { headers: { 'If-None-Match': '"a"' } });
  await assert.rejects(call, { name: 'PosthornError', code: 'NOT_MODIFIED', status: 304, requestId: 'r-1' });
});
