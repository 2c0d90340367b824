import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import {
  businessWebhooks,
  derivedData,
  EVENTS,
  entryOf,
  internalEvents,
  type InternalEvent,
  isWebhookName,
  merchantWebhooks,
} from '../src/contracts/events/index.ts';
import { ManualClock, systemClock } from '../src/lib/clock.ts';
import { withDatabase } from './helpers/database.ts';
import { deliveriesOf, startNode, type Tenant, until } from './helpers/engine.ts';
import { type Received, startReceiver } from './helpers/receiver.ts';

const MINUTE = 60_000;
const stripe = new Stripe('sk_test_none');
const database = await withDatabase();
// The two libraries read the real clock, so this one starts at it.
const clock = new ManualClock(systemClock.now());
const node = await startNode({ database, clock, settings: { WEBHOOK_MAX_ENDPOINTS: '3' } });
const publisher = await node.tenant('PLATFORM');

const byStripe = (r: Pick<Received, 'headers' | 'body'>, secret: string): unknown =>
  stripe.webhooks.constructEvent(r.body, r.headers['x-service-signature'] ?? '', secret);
const byStandard = (r: Pick<Received, 'headers' | 'body'>, secret: string): unknown =>
  new Webhook(secret).verify(r.body, { ...r.headers });
const verifiers = { stripe: byStripe, standardwebhooks: byStandard };

/** Data that makes the event cause its derived webhook as well. */
const DERIVING: Partial<Record<InternalEvent, Record<string, unknown>>> = {
  'checkout.completed': { counterpartyCompleted: false },
  'trade.cancelled': { reason: 'UNRECIPROCATED' },
  'reservation.expired': { cause: 'UNAVAILABLE' },
};

const eventsOf = (received: readonly Received[]): string[] =>
  received.map((r) => (JSON.parse(r.body) as { event: string }).event).toSorted();

/** Whom the verifiers below need: an account with a receiver that has got one delivery. */
async function oneDelivery(): Promise<{ tenant: Tenant; received: Received }> {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  await node.endpoint(tenant, receiver.url());
  await node.publish(publisher, [tenant]);
  await node.work();
  assert.equal(receiver.received.length, 1);
  return { tenant, received: receiver.received[0] as Received };
}

test('every merchant and business webhook arrives, verifies with both libraries and has exactly its fields', async () => {
  clock.set(systemClock.now());
  const receiver = await startReceiver();
  const [merchant, business] = [await node.tenant('MERCHANT'), await node.tenant('BUSINESS')];
  await node.endpoint(merchant, receiver.url('/merchant'));
  await node.endpoint(business, receiver.url('/business'), {}, 'business-subscriptions');
  const events = internalEvents.map((event) => ({ event, data: DERIVING[event] ?? {} }));
  const ids = await node.publish(publisher, [merchant, business], events);
  await node.work();

  assert.deepEqual(eventsOf(receiver.at('/merchant')), merchantWebhooks.toSorted());
  assert.deepEqual(eventsOf(receiver.at('/business')), businessWebhooks.toSorted());
  assert.deepEqual([merchantWebhooks.length, businessWebhooks.length], [20, 9]);
  const published = new Map(internalEvents.map((event, i) => [event as string, ids[i]]));
  const now = new Date(clock.now()).toISOString();
  for (const r of receiver.received) {
    const body = JSON.parse(r.body) as { event: string; timestamp: string };
    assert.ok(isWebhookName(body.event));
    const entry = entryOf(body.event);
    const cause = (entry.derivedFrom ?? body.event) as InternalEvent;
    const data = derivedData(body.event, { ...EVENTS[cause].example, ...DERIVING[cause] });
    assert.deepEqual(body, { event: body.event, ...data, timestamp: now });
    const { secret } = r.path === '/merchant' ? merchant : business;
    assert.deepEqual(byStripe(r, secret), body);
    assert.deepEqual(byStandard(r, secret), body);
    const { headers } = r;
    assert.equal(headers['x-service-event-id'], published.get(cause));
    assert.equal(headers['webhook-id'], `${published.get(cause)}${entry.derivedFrom === null ? '' : '-derived'}`);
    assert.equal(headers['x-service-attempt'], '1');
    assert.equal(headers['x-service-replay'], undefined);
    assert.equal(headers['content-type'], 'application/json');
    assert.match(headers['user-agent'] ?? '', /^Posthorn\/\d+\.\d+\.\d+$/);
    assert.match(headers.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  }
  const deliveries = await deliveriesOf(node.db);
  assert.deepEqual(
    deliveries.map((d) => d.id).toSorted(),
    receiver.received.map((r) => r.headers['x-service-delivery-id']).toSorted(),
  );
  assert.ok(deliveries.every((d) => d.status === 'DELIVERED' && d.attempts === 1));
});

test('events without the condition cause no derived webhook', async () => {
  const receiver = await startReceiver();
  const merchant = await node.tenant();
  await node.endpoint(merchant, receiver.url());
  await node.publish(
    publisher,
    [merchant],
    [
      { event: 'checkout.completed', data: { counterpartyCompleted: true } },
      { event: 'trade.cancelled', data: { reason: 'DECLINED' } },
      { event: 'reservation.expired', data: { cause: 'TIMEOUT' } },
      { event: 'offer.expired' },
      { event: 'moderation.flagged' },
    ],
  );
  await node.work();
  assert.deepEqual(eventsOf(receiver.received), ['checkout.completed', 'reservation.expired', 'trade.cancelled']);
});

test('a changed byte, another secret and a signature of six minutes ago fail in both libraries', async () => {
  clock.set(systemClock.now());
  const { tenant, received } = await oneDelivery();
  clock.set(systemClock.now() - 6 * MINUTE);
  const old = await oneDelivery();
  clock.set(systemClock.now());
  const stranger = await node.tenant();
  const at = received.body.indexOf('EUR');
  const changed = { ...received, body: `${received.body.slice(0, at)}EUS${received.body.slice(at + 3)}` };
  const otherTime = String(Number(received.headers['webhook-timestamp']) + 1);
  const moved = {
    ...received,
    headers: {
      ...received.headers,
      'x-service-signature': (received.headers['x-service-signature'] ?? '').replace(/^t=\d+/, `t=${otherTime}`),
      'webhook-timestamp': otherTime,
    },
  };
  for (const [name, verify] of Object.entries(verifiers)) {
    assert.ok(verify(received, tenant.secret), name);
    assert.throws(() => verify(changed, tenant.secret), /signature/i, `${name}: a changed byte`);
    assert.throws(() => verify(moved, tenant.secret), /signature/i, `${name}: another timestamp`);
    assert.throws(() => verify(received, stranger.secret), /signature/i, `${name}: another secret`);
    assert.throws(() => verify(old.received, old.tenant.secret), /tolerance|too old/i, `${name}: six minutes old`);
  }
});

test('only endpoints of the audience that subscribe to the event get it', async () => {
  const receiver = await startReceiver();
  const [a, b] = [await node.tenant(), await node.tenant()];
  await node.endpoint(a, receiver.url('/a/all'));
  await node.endpoint(a, receiver.url('/a/offers'), { events: ['offer.created', 'offer.accepted'] });
  await node.endpoint(b, receiver.url('/b/all'));
  await node.publish(publisher, [a], [{ event: 'offer.created' }, { event: 'checkout.started' }]);
  await node.publish(publisher, [], [{ event: 'offer.created' }]);
  await node.publish(publisher, [a, b], [{ event: 'offer.accepted' }]);
  await node.work();
  assert.deepEqual(eventsOf(receiver.at('/a/all')), ['checkout.started', 'offer.accepted', 'offer.created']);
  assert.deepEqual(eventsOf(receiver.at('/a/offers')), ['offer.accepted', 'offer.created']);
  assert.deepEqual(eventsOf(receiver.at('/b/all')), ['offer.accepted']);
});

test('an account id in capitals is the same account, and two spellings are one audience', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  await node.endpoint(tenant, receiver.url());
  const data = EVENTS['checkout.started'].example;
  const body = { event: 'checkout.started', data, accountIds: [tenant.id.toUpperCase(), tenant.id] };
  await node.get(202, 'POST', '/v1/events', { key: publisher.key, body });
  await node.work();
  assert.equal(receiver.received.length, 1);
});

test('an endpoint gets nothing of what was published before it was created', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
  // The event is not fanned out yet when the endpoint is made.
  await node.endpoint(tenant, receiver.url());
  await node.publish(publisher, [tenant], [{ event: 'offer.accepted' }]);
  await node.work();
  assert.deepEqual(eventsOf(receiver.received), ['offer.accepted']);
});

test('a change of subscriptions counts for what is published after it', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const { id } = await node.endpoint(tenant, receiver.url(), { events: ['offer.created'] });
  const patch = (body: unknown) => node.get(200, 'PATCH', `/v1/webhooks/endpoints/${id}`, { key: tenant.key, body });
  const publishBoth = () =>
    node.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.rejected' }]);
  await publishBoth();
  await node.work();
  assert.deepEqual((await patch({ events: ['offer.rejected'], url: receiver.url('/moved') })).allEvents, false);
  await publishBoth();
  await node.work();
  assert.equal((await patch({ events: null })).allEvents, true);
  await publishBoth();
  await node.work();
  assert.deepEqual(eventsOf(receiver.at('/hook')), ['offer.created']);
  assert.deepEqual(eventsOf(receiver.at('/moved')), ['offer.created', 'offer.rejected', 'offer.rejected']);
});

test('during a rotation of the secret both sign; afterwards only the new one', async () => {
  clock.set(systemClock.now());
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  await node.endpoint(tenant, receiver.url());
  const path = `/v1/admin/api-keys/${tenant.keyId}/rotate`;
  const next = await node.get(201, 'POST', path, { key: publisher.key, body: { overlapSeconds: 120 } });
  await node.publish(publisher, [tenant]);
  await node.work();
  const both = receiver.received[0] as Received;
  assert.match(both.headers['x-service-signature'] ?? '', /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  assert.equal(both.headers['webhook-signature']?.split(' ').length, 2);
  for (const verify of Object.values(verifiers)) {
    assert.ok(verify(both, tenant.secret));
    assert.ok(verify(both, next.signingSecret));
  }
  clock.advance(121_000);
  const later: Tenant = { ...tenant, key: next.key };
  await node.publish(publisher, [later]);
  await node.work();
  const one = receiver.received[1] as Received;
  assert.match(one.headers['x-service-signature'] ?? '', /^t=\d+,v1=[0-9a-f]{64}$/);
  for (const verify of Object.values(verifiers)) {
    assert.ok(verify(one, next.signingSecret));
    assert.throws(() => verify(one, tenant.secret));
  }
});

test('custom headers are sent along and never shown; reserved ones are refused', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const headers = { Authorization: 'Bearer of-the-receiver', 'X-Shop': 'north' };
  const made = await node.endpoint(tenant, receiver.url(), { headers });
  assert.deepEqual(made.headerNames.toSorted(), ['Authorization', 'X-Shop']);
  await node.publish(publisher, [tenant]);
  await node.work();
  assert.equal(receiver.received[0]?.headers.authorization, 'Bearer of-the-receiver');
  assert.equal(receiver.received[0]?.headers['x-shop'], 'north');
  const [delivery] = await deliveriesOf(node.db, made.id);
  const detail = await node.get(200, 'GET', `/v1/webhooks/deliveries/${delivery?.id}`, { key: tenant.key });
  assert.equal(detail.log[0].requestHeaders['X-Shop'], '[redacted]');
  assert.ok(!JSON.stringify([made, detail]).includes('of-the-receiver'));
  assert.equal(
    detail.log[0].requestHeaders['X-Service-Signature'],
    receiver.received[0]?.headers['x-service-signature'],
  );
  assert.equal(detail.body, receiver.received[0]?.body);

  for (const name of [
    'Host',
    'content-length',
    'Content-Type',
    'transfer-encoding',
    'X-Service-Signature',
    'X-SERVICE-Anything',
    'webhook-id',
    'User-Agent',
    'traceparent',
  ]) {
    const reply = await node.call('POST', '/v1/webhooks/endpoints', {
      key: tenant.key,
      body: { url: receiver.url(), headers: { [name]: 'x' } },
    });
    assert.equal(reply.status, 400, name);
    assert.deepEqual(reply.body.error.details, [{ path: `body.headers.${name}`, message: 'is reserved' }]);
  }
  for (const bad of [{ 'X-Line': 'a\r\nX-Service-Signature: forged' }, { 'Bad Name': 'x' }, { 'X-ü': 'x' }]) {
    const reply = await node.call('POST', '/v1/webhooks/endpoints', {
      key: tenant.key,
      body: { url: receiver.url(), headers: bad },
    });
    assert.equal(reply.status, 400, JSON.stringify(bad));
  }
});

test('each kind of account has its kind of endpoint', async () => {
  const [merchant, business] = [await node.tenant('MERCHANT'), await node.tenant('BUSINESS')];
  const create = (kind: string, who: Tenant, body: object) =>
    node.call('POST', `/v1/webhooks/${kind}`, { key: who.key, body: { url: 'http://127.0.0.1:9/', ...body } });
  assert.equal((await create('endpoints', business, {})).body.error.code, 'FORBIDDEN');
  assert.equal((await create('business-subscriptions', merchant, {})).body.error.code, 'FORBIDDEN');
  assert.equal((await create('endpoints', merchant, { events: ['space_booking.paid'] })).status, 400);
  assert.equal((await create('business-subscriptions', business, { events: ['offer.created'] })).status, 400);
  assert.equal(
    (await create('endpoints', merchant, { events: ['offer.expired'] })).status,
    400,
    'an event without webhook',
  );
  const made = await create('endpoints', merchant, {});
  assert.equal(made.status, 201);
  assert.equal(
    (await node.call('GET', `/v1/webhooks/business-subscriptions/${made.body.id}`, { key: merchant.key })).status,
    404,
  );
});

test('addresses that may not be called are refused', async () => {
  const tenant = await node.tenant();
  for (const url of [
    'ftp://example.com/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://user:pw@example.com/',
    'example.com',
  ]) {
    const reply = await node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body: { url } });
    assert.equal(reply.status, 400, url);
    assert.equal(reply.body.error.details[0].path, 'body.url');
  }
});

test('an account has as many endpoints as the setting says, also when they are made at once', async () => {
  const tenant = await node.tenant();
  const create = () =>
    node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body: { url: 'http://127.0.0.1:9/' } });
  const replies = await Promise.all([create(), create(), create(), create(), create()]);
  assert.deepEqual(replies.map((r) => r.status).toSorted(), [201, 201, 201, 409, 409]);
  assert.ok(replies.every((r) => r.status === 201 || r.body.error.code === 'ENDPOINT_LIMIT_REACHED'));
  const [first] = replies.filter((r) => r.status === 201);
  assert.equal(
    (await node.call('DELETE', `/v1/webhooks/endpoints/${first?.body.id}`, { key: tenant.key })).status,
    204,
  );
  assert.equal((await create()).status, 201, 'a deleted one does not count');
});

test('a merchant can neither see nor touch what belongs to another', async () => {
  const receiver = await startReceiver();
  const [mine, theirs] = [await node.tenant(), await node.tenant()];
  const endpoint = await node.endpoint(theirs, receiver.url());
  await node.publish(publisher, [theirs]);
  await node.work();
  const [delivery] = await deliveriesOf(node.db, endpoint.id);
  const one = `/v1/webhooks/endpoints/${endpoint.id}`;
  const attempts: [string, string, unknown?][] = [
    ['GET', one],
    ['PATCH', one, { description: 'mine now' }],
    ['DELETE', one],
    ['POST', `${one}/pause`],
    ['POST', `${one}/resume`],
    ['POST', `${one}/test`, {}],
    ['GET', `/v1/webhooks/deliveries/${delivery?.id}`],
    ['POST', `/v1/webhooks/deliveries/${delivery?.id}/replay`],
  ];
  for (const [method, path, body] of attempts) {
    const reply = await node.call(method, path, { key: mine.key, ...(body === undefined ? {} : { body }) });
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'NOT_FOUND'], `${method} ${path}`);
  }
  for (const list of [
    '/v1/webhooks/endpoints',
    '/v1/webhooks/deliveries',
    `/v1/webhooks/deliveries?endpointId=${endpoint.id}`,
  ]) {
    assert.deepEqual((await node.get(200, 'GET', list, { key: mine.key })).data, [], list);
  }
  const onBehalf = await node.call('POST', `/v1/webhooks/endpoints?accountId=${theirs.id}`, {
    key: mine.key,
    body: { url: receiver.url() },
  });
  assert.equal(onBehalf.status, 403);
  await node.work();
  assert.equal(receiver.received.length, 1);
  assert.equal((await node.get(200, 'GET', one, { key: theirs.key })).description, '');
});

test('deliveries are listed newest first, by cursor, and filtered', async () => {
  const receiver = await startReceiver((r) => (r.path === '/bad' ? 500 : 200));
  const tenant = await node.tenant();
  const good = await node.endpoint(tenant, receiver.url('/good'));
  const bad = await node.endpoint(tenant, receiver.url('/bad'));
  await node.publish(
    publisher,
    [tenant],
    [
      { event: 'checkout.started', data: { tradeSessionId: 'list-1' } },
      { event: 'checkout.failed', data: { tradeSessionId: 'list-1' } },
      { event: 'checkout.failed', data: { tradeSessionId: 'list-2' } },
    ],
  );
  await node.work();
  type Item = { id: string; event: string; endpointId: string; status: string; createdAt: string };
  const list = async (query: string): Promise<{ data: Item[]; nextCursor: string | null }> =>
    node.get(200, 'GET', `/v1/webhooks/deliveries?${query}`, { key: tenant.key });
  const all: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  assert.equal(all.length, 6);
  assert.deepEqual(
    all.map((d) => d.id),
    all
      .map((d) => d.id)
      .toSorted()
      .toReversed(),
  );
  const count = async (query: string): Promise<number> => (await list(query)).data.length;
  assert.equal(await count('status=DELIVERED'), 3);
  assert.equal(await count(`status=PENDING&endpointId=${bad.id}`), 3);
  assert.equal(await count(`status=PENDING&endpointId=${good.id}`), 0);
  assert.equal(await count('event=checkout.failed'), 4);
  assert.equal(await count('tradeSessionId=list-1'), 4);
  assert.equal(await count(`since=${new Date(clock.now() + 1).toISOString()}`), 0);
  assert.equal(await count(`until=${new Date(clock.now() + 1).toISOString()}&tradeSessionId=list-2`), 2);
});

test('an endpoint that is made on one node gets what is published right after on another', async (t) => {
  if (database.kind === 'pglite') return t.skip('the embedded database takes one process');
  const receiver = await startReceiver();
  await node.engine.fanOut.release();
  const a = await startNode({ database, clock, loops: true });
  const b = await startNode({ database, clock, loops: true });
  const tenant = await node.tenant();
  // Both run their loops, and either may hold the reader: it must hear of the other's events and endpoints.
  for (let i = 0; i < 10; i++) {
    const [here, there] = i % 2 === 0 ? [a, b] : [b, a];
    const { id } = await here.endpoint(tenant, receiver.url(`/${i}`));
    await there.publish(publisher, [tenant]);
    await until(`event ${i} arrives at the endpoint that was made before it`, () => receiver.at(`/${i}`).length === 1);
    await there.get(204, 'DELETE', `/v1/webhooks/endpoints/${id}`, { key: tenant.key });
  }
  assert.equal(receiver.received.length, 10);
});
