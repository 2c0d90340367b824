import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import fastify from 'fastify';
import type { WebhookEvent } from '../generated.ts';
import { sign } from '../webhooks/sign.ts';
import { webhookPlugin } from './fastify.ts';
import { webhookHandler } from './fetch.ts';
import { webhookMiddleware } from './node.ts';
import type { DeliveryInfo, ReceiverOptions } from './receive.ts';
import { type SeenEvents, seenInMemory } from './seen-events.ts';

const SECRET = 'whsec_c2VjcmV0';
const BODY = JSON.stringify({ event: 'offer.created', offerId: 'Ö 1' });

type Post = (body: string, headers: Record<string, string>) => Promise<{ status: number; text: string }>;

const overHttp =
  (port: number): Post =>
  async (body, headers) => {
    const reply = await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', body, headers });
    return { status: reply.status, text: await reply.text() };
  };

const started: (() => unknown)[] = [];
after(() => Promise.all(started.map((stop) => stop())));

/** Each way in which a receiver is built, as something that can be posted to. */
const KINDS: Readonly<Record<string, (options: ReceiverOptions) => Promise<Post>>> = {
  async 'the Fetch API (Next, Hono, workers)'(options) {
    const handler = webhookHandler(options);
    return async (body, headers) => {
      const reply = await handler(new Request('http://localhost/hooks', { method: 'POST', body, headers }));
      return { status: reply.status, text: await reply.text() };
    };
  },
  async 'Node and Express'(options) {
    const middleware = webhookMiddleware(options);
    const server = createServer((request, response) => void middleware(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    started.push(() => (server.closeAllConnections(), server.close()));
    return overHttp((server.address() as AddressInfo).port);
  },
  async Fastify(options) {
    const app = fastify();
    await app.register(webhookPlugin, { path: '/hooks', ...options });
    app.post('/other', async (request) => request.body);
    await app.listen({ port: 0, host: '127.0.0.1' });
    started.push(() => app.close());
    const other = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } });
    assert.deepEqual(other.json(), { a: 1 }, 'other routes are parsed as before');
    return overHttp((app.server.address() as AddressInfo).port);
  },
};

async function headersFor(body: string, eventId = 'e-1'): Promise<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'x-service-signature': await sign(body, SECRET),
    'x-service-event-id': eventId,
    'x-service-delivery-id': 'd-1',
    'x-service-attempt': '2',
  };
}

for (const [kind, start] of Object.entries(KINDS)) {
  describe(kind, () => {
    test('gives the verified event, once, and says what it refuses', async () => {
      const handled: [WebhookEvent, DeliveryInfo][] = [];
      const errors: unknown[] = [];
      const post = await start({
        secret: SECRET,
        seen: seenInMemory(),
        handle: (...what) => void handled.push(what),
        onError: (error) => errors.push(error),
      });
      const headers = await headersFor(BODY);
      assert.deepEqual(await post(BODY, headers), { status: 200, text: 'ok' });
      assert.deepEqual(await post(BODY, headers), { status: 200, text: 'handled before' });
      assert.deepEqual(handled, [
        [JSON.parse(BODY), { eventId: 'e-1', deliveryId: 'd-1', attempt: 2, isReplay: false, isTest: false }],
      ]);
      assert.equal((await post(`${BODY} `, headers)).status, 400);
      assert.equal((await post(BODY, {})).status, 400);
      assert.equal((await post('', headers)).status, 400);
      assert.deepEqual([handled.length, errors.length], [1, 3]);
    });

    test('asks for another attempt of what it could not handle', async () => {
      let fails = true;
      const post = await start({
        secret: ['whsec_before', SECRET],
        seen: seenInMemory(),
        onError: () => undefined,
        handle() {
          if (fails) throw new Error('the warehouse is closed');
        },
      });
      const headers = await headersFor(BODY);
      assert.deepEqual(await post(BODY, headers), { status: 500, text: 'could not be handled' });
      fails = false;
      assert.deepEqual(await post(BODY, headers), { status: 200, text: 'ok' });
    });
  });
}

test('what a handler throws is told also where the store fails with it', async () => {
  const errors: string[] = [];
  const handler = webhookHandler({
    secret: SECRET,
    seen: { ...seenInMemory(), failed: () => Promise.reject(new Error('the store is away')) },
    handle: () => Promise.reject(new Error('the warehouse is closed')),
    onError: (error) => errors.push((error as Error).message),
  });
  const request = new Request('http://localhost/', { method: 'POST', body: BODY, headers: await headersFor(BODY) });
  assert.equal((await handler(request)).status, 500);
  assert.deepEqual(errors, ['the store is away', 'the warehouse is closed']);
});

test('of a trade each event of each side is handled once, whatever the headers say, which nobody signed', async () => {
  const handled: unknown[] = [];
  const handler = webhookHandler({ secret: SECRET, seen: seenInMemory(), handle: (event) => void handled.push(event) });
  const post = async (body: object, eventId: string): Promise<string> => {
    const text = JSON.stringify(body);
    const headers = await headersFor(text, eventId);
    return (await handler(new Request('http://localhost/', { method: 'POST', body: text, headers }))).text();
  };
  const started = { event: 'checkout.started', tradeSessionId: 't-1', side: 'INITIATOR' };
  assert.equal(await post(started, 'e-1'), 'ok');
  assert.equal(await post(started, 'e-2'), 'handled before', 'the same published twice');
  assert.equal(await post(started, ''), 'handled before', 'without the header');
  assert.equal(await post({ ...started, side: 'COUNTERPARTY' }, 'e-3'), 'ok');
  assert.equal(await post({ ...started, event: 'checkout.completed' }, 'e-1'), 'ok');
  assert.equal(await post({ ...started, tradeSessionId: 't-2' }, 'e-1'), 'ok');
  const reserved = { event: 'reservation.created', tradeSessionId: 't-1', side: 'INITIATOR', merchantAccountId: 'm-1' };
  assert.equal(await post(reserved, 'e-7'), 'ok');
  assert.equal(await post({ ...reserved, merchantAccountId: 'm-2' }, 'e-8'), 'ok', 'of another holder');
  const offer = { event: 'offer.created', offerId: 'o-1' };
  assert.deepEqual(
    [await post(offer, 'e-5'), await post(offer, 'e-5'), await post(offer, 'e-6')],
    ['ok', 'handled before', 'ok'],
  );
  assert.equal(handled.length, 8);
});

test('two deliveries of an event at the same time: one is handled, the other is to come again', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((done) => (release = done));
  const handler = webhookHandler({ secret: SECRET, seen: seenInMemory(), handle: () => held });
  const headers = await headersFor(BODY);
  const post = () => handler(new Request('http://localhost/', { method: 'POST', body: BODY, headers }));
  // Which of them is the first is not said: their signatures are checked beside each other.
  const both = [post(), post()];
  assert.equal((await Promise.race(both)).status, 409);
  release();
  const statuses = (await Promise.all(both)).map((response) => response.status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 409],
  );
  assert.equal((await post()).status, 200);
});

test('the memory of what was handled is bounded, and never forgets what is being handled', () => {
  const seen: SeenEvents = seenInMemory(2);
  assert.equal(seen.begin('a'), 'new');
  for (const key of ['b', 'c', 'd']) {
    assert.equal(seen.begin(key), 'new');
    void seen.done(key);
  }
  assert.equal(seen.begin('a'), 'busy');
  assert.equal(seen.begin('d'), 'done');
  assert.equal(seen.begin('b'), 'new');
});

test('what a handler throws is in the console of who gave no onError, and what is refused is not', async (t) => {
  const { mock } = t.mock.method(console, 'error', () => undefined);
  const fault = new Error('the warehouse is closed');
  const handler = webhookHandler({ secret: SECRET, handle: () => Promise.reject(fault) });
  const post = (headers: Record<string, string>) =>
    handler(new Request('http://localhost/', { method: 'POST', body: BODY, headers }));
  assert.equal((await post({})).status, 400);
  assert.equal((await post(await headersFor(BODY))).status, 500);
  assert.deepEqual(
    mock.calls.map((call) => call.arguments),
    [[fault]],
  );
});

test('Express: a body that was parsed before is refused with the reason', async () => {
  const errors: unknown[] = [];
  const middleware = webhookMiddleware({ secret: SECRET, handle: () => undefined, onError: (e) => errors.push(e) });
  const response = { statusCode: 0, setHeader: () => undefined, end: () => undefined };
  const request = { headers: {}, body: { event: 'x' }, readableEnded: true, async *[Symbol.asyncIterator]() {} };
  await middleware(request, response);
  assert.equal(response.statusCode, 500);
  assert.match(String(errors[0]), /ahead of express\.json/);
});
