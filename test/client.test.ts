import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient, PosthornError, webhooks } from '../client/src/index.ts';
import { OPERATIONS } from '../client/src/generated.ts';
import { EVENTS } from '../src/contracts/events/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { startReceiver } from './helpers/receiver.ts';
import { testService } from './helpers/service.ts';
import { until } from './helpers/engine.ts';

const service = await testService({ env: { RATE_LIMIT_ANONYMOUS: '1000000' } });
const baseUrl = service.url;
const operator = createClient({ baseUrl, credential: await service.operator() });

const failed = async (call: Promise<unknown>): Promise<PosthornError> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof PosthornError, String(error));
  return error;
};

test('it has a method for every operation of the API, and no other', async () => {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  assert.deepEqual(new Set(Object.keys(OPERATIONS)), new Set(operations));
  assert.deepEqual(new Set(Object.keys(operator)), new Set(operations));
});

test('a post from draft to reader: parameters in path and query, bodies, versions, lists page by page', async () => {
  const { email } = await service.user({ blogRole: 'EDITOR' });
  const editor = createClient({ baseUrl, credential: () => service.signIn(email) });
  for (let i = 1; i <= 5; i++) {
    const body = { title: `Post ${i} of ärger`, body: 'Text', category: 'News', tags: ['a', `t${i % 2}`] };
    const draft = await editor.createPost({ body });
    const published = await editor.publishPost({ id: draft.id, ifMatch: draft.version, body: {} });
    assert.equal(published.status, 'PUBLISHED');
    const stale = await failed(editor.updatePost({ id: draft.id, ifMatch: draft.version, body: { title: 'late' } }));
    assert.deepEqual([stale.code, stale.status, stale.currentVersion], ['PRECONDITION_FAILED', 412, published.version]);
  }
  const { key } = await service.key(['blog:read'], await service.account('SITE'));
  const reader = createClient({ baseUrl: `${baseUrl}/`, credential: key });
  const first = await reader.listPosts({ sort: 'oldest', tag: ['a', 't1'], limit: 2 });
  assert.deepEqual([first.total, first.pages, first.data.length, first.sort], [3, 2, 2, 'oldest']);
  const titles: string[] = [];
  for await (const post of reader.listPosts({ sort: 'oldest', tag: 'a', limit: 2 })) titles.push(post.title);
  assert.deepEqual(
    titles,
    [1, 2, 3, 4, 5].map((i) => `Post ${i} of ärger`),
  );
  const [{ slug } = { slug: '' }] = first.data;
  const { data, headers, status } = await reader.getPost({ slug }).withHeaders();
  assert.deepEqual([status, data.title, headers.get('etag') !== null], [200, 'Post 1 of ärger', true]);
  const moved = await editor.updatePost({ id: data.id, body: { slug: 'elsewhere' } });
  assert.equal((await reader.getPost({ slug })).slug, moved.slug, 'from an old address to the present one');
  assert.equal(
    (await failed(reader.getPost({ slug: 'a/../b' }))).code,
    'NOT_FOUND',
    'a slug stays one part of the path',
  );
  await assert.rejects(reader.getPost({ slug: '' }), TypeError, 'an empty one would be another address');
});

test('errors have their code, request id and details; a wrong credential is one of them', async () => {
  const error = await failed(operator.createAccount({ body: { name: '', type: 'MERCHANT' } }));
  assert.deepEqual([error.code, error.status, error.details[0]?.path], ['VALIDATION_ERROR', 400, 'body.name']);
  assert.match(error.requestId ?? '', /^[\w-]{8,64}$/);
  assert.ok(error.message.includes(error.requestId ?? '-'), 'the message names the request');
  const nobody = createClient({ baseUrl, credential: 'ph_test_wrong' });
  assert.equal((await failed(nobody.listPosts())).code, 'UNAUTHENTICATED');
  const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
  const away = await failed(nowhere.listPosts());
  assert.deepEqual([away.code, away.status, away.requestId], ['CONNECTION_FAILED', null, null]);
});

test('an event published, delivered and verified; logs by cursor; an export as a stream', async () => {
  const { accountId, key, signingSecret } = await service.key(['webhooks:manage', 'inbound:write']);
  const merchant = createClient({ baseUrl, credential: key });
  const receiver = await startReceiver();
  const endpoint = await merchant.createEndpoint({ body: { url: receiver.url(), events: ['offer.created'] } });
  const events = Array.from({ length: 3 }, () => ({
    event: 'offer.created' as const,
    data: EVENTS['offer.created'].example,
    accountIds: [accountId],
  }));
  const { data: published } = await operator.publishEvents({ body: { events } });
  assert.equal(published.length, 3);
  await until('all three arrive', () => receiver.received.length === 3);
  const [one] = receiver.received;
  const event = await webhooks.verify(one?.body ?? '', one?.headers['x-service-signature'], signingSecret);
  assert.equal(event.event, 'offer.created');
  if (event.event === 'offer.created') assert.equal(typeof event.offerId, 'string');

  const seen: string[] = [];
  await until(
    'they are recorded',
    async () => (await merchant.listDeliveries({ status: 'DELIVERED' })).data.length === 3,
  );
  for await (const delivery of merchant.listDeliveries({ endpointId: endpoint.id, limit: 1 }))
    seen.push(delivery.eventId);
  assert.deepEqual(new Set(seen), new Set(published.map(({ id }) => id)));

  let text = '';
  for await (const chunk of await operator.exportEvents()) text += new TextDecoder().decode(chunk);
  assert.ok(text.trim().split('\n').length >= 3);

  const report = { event: 'payment.completed' as const, tradeSessionId: 'none', side: 'INITIATOR' as const };
  const refused = await failed(merchant.receiveReport({ signingSecret, body: report }));
  assert.equal(refused.code, 'NOT_FOUND', 'signed rightly, of a trade that does not exist');
  const wrong = await failed(merchant.receiveReport({ signingSecret: 'whsec_wrong', body: report }));
  assert.equal(wrong.code, 'UNAUTHENTICATED');
});

/** A service that answers as it is told, in order, and keeps what it was asked. */
async function stub(...answers: ((response: ServerResponse) => unknown)[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume().on('end', () => (answers.shift() ?? ((r) => r.end('{}')))(response));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanup(() => (server.closeAllConnections(), server.close()));
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const busy = (headers: Record<string, string>) => (response: ServerResponse) =>
  response.writeHead(503, headers).end('{"error":{"code":"UNAVAILABLE","message":"later","requestId":"r-12345678"}}');

test('what passes is tried again, with the same Idempotency-Key, as late as the service says', async () => {
  const { asked, baseUrl: at } = await stub(
    busy({ 'retry-after': '0' }),
    (r) => r.destroy(),
    (r) => r.end('{"id":"x"}'),
  );
  const client = createClient({ baseUrl: at });
  assert.deepEqual(await client.createAccount({ body: { name: 'A', type: 'SITE' } }), { id: 'x' });
  const keys = asked.map((request) => request.headers['idempotency-key']);
  assert.equal(asked.length, 3);
  assert.match(keys[0] as string, /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);

  const given = await stub((r) => r.end('{}'));
  await createClient({ baseUrl: given.baseUrl }).createAccount(
    { body: { name: 'A', type: 'SITE' } },
    { idempotencyKey: 'mine' },
  );
  assert.equal(given.asked[0]?.headers['idempotency-key'], 'mine');
});

test('it gives up when it was told to, when the wait is too long, and when the fault does not pass', async () => {
  const always = await stub(...Array.from({ length: 9 }, () => busy({ 'retry-after': '0' })));
  const error = await failed(createClient({ baseUrl: always.baseUrl, maxRetries: 3 }).listPosts());
  assert.deepEqual([error.code, error.requestId, always.asked.length], ['UNAVAILABLE', 'r-12345678', 4]);
  const long = await stub(busy({ 'retry-after': '3600' }));
  assert.equal((await failed(createClient({ baseUrl: long.baseUrl }).listPosts())).retryAfterMs, 3_600_000);
  assert.equal(long.asked.length, 1);
  const proxy = await stub((r) => r.writeHead(500).end('<html>'));
  assert.equal((await failed(createClient({ baseUrl: proxy.baseUrl }).listPosts())).code, 'UNEXPECTED_REPLY');
  const nonsense = await stub((r) => r.end('<html>'));
  assert.equal((await failed(createClient({ baseUrl: nonsense.baseUrl }).listPosts())).code, 'UNEXPECTED_REPLY');
  assert.equal(proxy.asked.length + nonsense.asked.length, 2);
});

test('a call ends at its time limit and when its caller ends it, also while it waits for another attempt', async () => {
  const silent = await stub(
    () => undefined,
    () => undefined,
  );
  const client = createClient({ baseUrl: silent.baseUrl, maxRetries: 0, timeoutMs: 50 });
  assert.equal((await failed(client.listPosts())).code, 'TIMEOUT');
  const stopped = new AbortController();
  const waiting = await stub(busy({ 'retry-after': '30' }));
  const call = createClient({ baseUrl: waiting.baseUrl }).listPosts({}, { signal: stopped.signal });
  await until('it was asked', () => waiting.asked.length === 1);
  const reason = new Error('no longer wanted');
  stopped.abort(reason);
  await assert.rejects(call, reason);
});
