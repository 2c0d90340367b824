import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
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
const node = await startNode({ database, clock });
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
    receiver.received.map((r) => r.headers['x-service-delivery-id'] ?? '').toSorted(),
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
  for (const accountIds of [[tenant.id.toUpperCase()], [tenant.id, tenant.id.toUpperCase()]]) {
    const body = { event: 'checkout.started', data, accountIds };
    await node.ok(202, 'POST', '/v1/events', { key: publisher.key, body });
  }
  await node.work();
  assert.equal(receiver.received.length, 2);
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
  const patch = (body: unknown) => node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${id}`, { key: tenant.key, body });
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
  const next = await node.ok(201, 'POST', path, { key: publisher.key, body: { overlapSeconds: 120 } });
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
    await there.ok(204, 'DELETE', `/v1/webhooks/endpoints/${id}`, { key: tenant.key });
  }
  assert.equal(receiver.received.length, 10);
});
