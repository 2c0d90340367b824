import assert from 'node:assert/strict';
import { test } from 'node:test';
import Stripe from 'stripe';
import { uuidv7 } from '../src/lib/ids.ts';
import { withDatabase } from './helpers/database.ts';
import { deliveriesOf, startNode, type StoredDelivery, type Tenant, until } from './helpers/engine.ts';
import { type Receiver, type Script, startReceiver } from './helpers/receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** With random() = 0.5 there is no jitter. */
const WAITS = [2.5 * MINUTE, 20 * MINUTE, 2 * HOUR + 40 * MINUTE, 21 * HOUR + 20 * MINUTE];
const stripe = new Stripe('sk_test_none');
const database = await withDatabase();
const node = await startNode({ database, settings: { WEBHOOK_TIMEOUT_SECONDS: '1' } });
const { clock } = node;
clock.set(Math.ceil(clock.now() / 1000) * 1000);
const publisher = await node.tenant('PLATFORM');

interface Case {
  tenant: Tenant;
  receiver: Receiver;
  endpoint: { id: string };
  /** The endpoint's deliveries as they are stored now. */
  stored(): Promise<StoredDelivery[]>;
  /** The same of its only delivery. */
  one(): Promise<StoredDelivery>;
}

/** An account with one endpoint at a receiver that does as the script says. */
async function given(script: Script, more: Record<string, unknown> = {}): Promise<Case> {
  const receiver = await startReceiver(script);
  const tenant = await node.tenant();
  const endpoint = await node.endpoint(tenant, receiver.url(), more);
  const stored = (): Promise<StoredDelivery[]> => deliveriesOf(node.db, endpoint.id);
  const one = async (): Promise<StoredDelivery> => {
    const [only, second] = await stored();
    assert.ok(only && !second, 'there is one delivery');
    return only;
  };
  return { tenant, receiver, endpoint, stored, one };
}

const post = (c: Case, path: string, headers: Record<string, string> = {}) =>
  node.call('POST', `/v1/webhooks/${path}`, { key: c.tenant.key, headers });
const statuses = async (c: Case): Promise<string[]> => (await c.stored()).map((d) => d.status);
const endpointOf = (c: Case) => node.get(200, 'GET', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key });

test('a receiver that fails five times gets five attempts at exactly the scheduled times, then the delivery is DEAD; a replay delivers', async () => {
  let broken = true;
  const c = await given(() => (broken ? 503 : 200));
  const [eventId] = await node.publish(publisher, [c.tenant]);
  await node.work();
  const start = clock.now();
  const times = [start];
  for (const [i, wait] of WAITS.entries()) {
    const before = await c.one();
    assert.deepEqual([before.status, before.attempts, before.error_class], ['PENDING', i + 1, 'HTTP_5XX']);
    assert.equal(before.next_attempt_at?.getTime(), clock.now() + wait);
    clock.advance(wait - 1);
    await node.work();
    assert.equal(c.receiver.received.length, i + 1, 'not a millisecond early');
    clock.advance(1);
    await node.work();
    assert.equal(c.receiver.received.length, i + 2);
    times.push(clock.now());
  }
  const dead = await c.one();
  assert.deepEqual([dead.status, dead.attempts, dead.error_class, dead.next_attempt_at], ['DEAD', 5, 'HTTP_5XX', null]);

  const { received } = c.receiver;
  assert.deepEqual(
    received.map((r) => r.headers['x-service-attempt']),
    ['1', '2', '3', '4', '5'],
  );
  assert.deepEqual(
    received.map((r) => Number(r.headers['webhook-timestamp'])),
    times.map((t) => Math.floor(t / 1000)),
  );
  assert.deepEqual(new Set(received.map((r) => r.headers['x-service-event-id'])), new Set([eventId]));
  assert.deepEqual(new Set(received.map((r) => r.headers['x-service-delivery-id'])), new Set([dead.id]));
  assert.equal(new Set(received.map((r) => r.body)).size, 1, 'the same bytes each time');
  for (const [i, r] of received.entries()) {
    const verify = (at: number) =>
      stripe.webhooks.constructEvent(
        r.body,
        r.headers['x-service-signature'] ?? '',
        c.tenant.secret,
        300,
        undefined,
        at,
      );
    assert.ok(verify((times[i] as number) + 299_000));
    assert.throws(() => verify((times[i] as number) + 302_000), /tolerance/, 'each is signed for its own time');
  }
  const detail = await node.get(200, 'GET', `/v1/webhooks/deliveries/${dead.id}`, { key: c.tenant.key });
  assert.deepEqual(
    detail.log.map((a: { attempt: number }) => a.attempt),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    detail.log.map((a: { at: string }) => a.at),
    times.map((t) => new Date(t).toISOString()),
  );
  assert.ok(
    detail.log.every(
      (a: { responseStatus: number; responseBody: string }) => a.responseStatus === 503 && a.responseBody === 'ok',
    ),
  );

  clock.advance(30 * 24 * HOUR);
  await node.work();
  assert.equal(received.length, 5, 'a dead letter is left alone');

  const replay = await post(c, `deliveries/${dead.id}/replay`);
  assert.equal(replay.status, 202);
  assert.notEqual(replay.body.id, dead.id);
  assert.deepEqual(
    [replay.body.replayOf, replay.body.status, replay.body.attempts, replay.body.eventId, replay.body.isTest],
    [dead.id, 'PENDING', 0, eventId, false],
  );
  await node.work();
  clock.advance(WAITS[0] as number);
  broken = false;
  await node.work();
  const [sixth, seventh] = received.slice(5);
  for (const r of [sixth, seventh]) {
    assert.equal(r?.headers['x-service-replay'], 'true');
    assert.equal(r?.headers['x-service-event-id'], eventId);
    assert.equal(r?.headers['x-service-delivery-id'], replay.body.id);
    assert.equal(r?.body, received[0]?.body);
  }
  assert.deepEqual(
    [sixth?.headers['x-service-attempt'], seventh?.headers['x-service-attempt']],
    ['1', '2'],
    'fresh attempts',
  );
  assert.deepEqual(await statuses(c), ['DEAD', 'DELIVERED']);
});

test('a replay has five attempts of its own', async () => {
  const c = await given((_r, nth) => (nth === 0 ? 200 : 500));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  await post(c, `deliveries/${(await c.one()).id}/replay`);
  await node.work();
  for (const wait of WAITS) {
    clock.advance(wait);
    await node.work();
  }
  const [first, second] = await c.stored();
  assert.deepEqual([first?.status, second?.status, second?.attempts], ['DELIVERED', 'DEAD', 5]);
  assert.equal(c.receiver.received.length, 6);
});

test('every replay makes a delivery, except under one Idempotency-Key', async () => {
  const c = await given(() => 200);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const path = `deliveries/${(await c.one()).id}/replay`;
  const ids = [await post(c, path), await post(c, path)].map((r) => r.body.id);
  const keyed = [await post(c, path, { 'idempotency-key': 'k' }), await post(c, path, { 'idempotency-key': 'k' })];
  assert.equal(new Set(ids).size, 2);
  assert.equal(keyed[0]?.body.id, keyed[1]?.body.id);
  await node.work();
  assert.equal(c.receiver.received.length, 4);
  assert.equal((await post(c, `deliveries/${uuidv7(0)}/replay`)).status, 404);
});

test('Retry-After is honoured, in seconds and as a date, up to twice the wait', async () => {
  const date = (ms: number): string => new Date(clock.now() + ms).toUTCString();
  const cases: [string, number][] = [
    ['200', 200_000],
    ['10', WAITS[0] as number],
    ['86400', 2 * (WAITS[0] as number)],
    [date(240_000), 240_000],
    [date(-240_000), WAITS[0] as number],
    [date(24 * HOUR), 2 * (WAITS[0] as number)],
    ['a while', WAITS[0] as number],
  ];
  for (const [value, wait] of cases) {
    const c = await given(() => ({ status: 429, headers: { 'retry-after': value } }));
    await node.publish(publisher, [c.tenant]);
    await node.work();
    const stored = await c.one();
    assert.deepEqual([stored.next_attempt_at?.getTime(), stored.error_class], [clock.now() + wait, 'HTTP_429'], value);
  }
});

test('a redirect is a failure and is not followed', async () => {
  const c = await given((r) => ({ status: 307, headers: { location: `${r.path}-elsewhere` } }));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  assert.deepEqual(
    c.receiver.received.map((r) => r.path),
    ['/hook'],
  );
  assert.deepEqual([(await c.one()).status, (await c.one()).error_class], ['PENDING', 'HTTP_3XX']);
});

test('no answer in time, and nobody there, are failures with their class', async () => {
  const silent = await given(() => 'never');
  const nobody = await given(() => 200);
  await nobody.receiver.close();
  await node.publish(publisher, [silent.tenant, nobody.tenant]);
  await node.work();
  assert.deepEqual([(await silent.one()).status, (await silent.one()).error_class], ['PENDING', 'TIMEOUT']);
  assert.deepEqual([(await nobody.one()).status, (await nobody.one()).error_class], ['PENDING', 'CONNECT']);
});

test('410 disables the endpoint and holds what is for it; resumed, all of it is sent', async () => {
  let gone = true;
  const c = await given(() => (gone ? 410 : 200));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  await until('the endpoint is disabled', async () => (await endpointOf(c)).status === 'DISABLED');
  assert.match((await endpointOf(c)).statusReason, /410/);
  assert.deepEqual([(await c.one()).status, (await c.one()).error_class], ['HELD', 'HTTP_410']);
  await node.publish(publisher, [c.tenant]);
  clock.advance(48 * HOUR);
  await node.work();
  assert.deepEqual(await statuses(c), ['HELD', 'HELD']);
  assert.equal(c.receiver.received.length, 1, 'a disabled endpoint is not called');
  assert.equal((await post(c, `endpoints/${c.endpoint.id}/pause`)).status, 409);

  gone = false;
  assert.equal((await post(c, `endpoints/${c.endpoint.id}/resume`)).body.status, 'ACTIVE');
  await node.work();
  assert.deepEqual(await statuses(c), ['DELIVERED', 'DELIVERED']);
  const attempts = (await c.stored()).map((d) => d.attempts);
  assert.deepEqual(attempts, [2, 1], 'holding costs no attempt');
});

test('paused: deliveries are kept, also those that wait for a retry; resumed: they are sent', async () => {
  let broken = true;
  const c = await given(() => (broken ? 500 : 200));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  assert.equal((await post(c, `endpoints/${c.endpoint.id}/pause`)).body.status, 'PAUSED');
  await node.publish(publisher, [c.tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await node.work();
  assert.deepEqual(await statuses(c), ['PENDING', 'HELD', 'HELD']);
  clock.advance(WAITS[0] as number);
  await node.work();
  assert.deepEqual(await statuses(c), ['HELD', 'HELD', 'HELD']);
  clock.advance(10 * 24 * HOUR);
  await node.work();
  assert.equal(c.receiver.received.length, 1);
  broken = false;
  await post(c, `endpoints/${c.endpoint.id}/resume`);
  await node.work();
  assert.deepEqual(await statuses(c), ['DELIVERED', 'DELIVERED', 'DELIVERED']);
  assert.deepEqual(
    (await c.stored()).map((d) => d.attempts),
    [2, 1, 1],
  );
});

test('a replay is sent even while the endpoint is paused: somebody asked for it', async () => {
  const c = await given(() => 200);
  await post(c, `endpoints/${c.endpoint.id}/pause`);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const held = await c.one();
  assert.equal(held.status, 'HELD');
  assert.equal((await post(c, `deliveries/${held.id}/replay`)).status, 202);
  await node.work();
  assert.equal(c.receiver.received.length, 1);
  assert.deepEqual(await statuses(c), ['HELD', 'DELIVERED']);
});

test('a deleted endpoint: what waits is discarded and not sent, and cannot be replayed', async () => {
  const c = await given(() => 500);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  await node.get(204, 'DELETE', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key });
  const discarded = await c.one();
  assert.deepEqual(
    [discarded.status, discarded.error_class, discarded.next_attempt_at],
    ['DISCARDED', 'ENDPOINT_DELETED', null],
  );
  await node.publish(publisher, [c.tenant]);
  clock.advance(48 * HOUR);
  await node.work();
  assert.equal(c.receiver.received.length, 1);
  assert.deepEqual(await statuses(c), ['DISCARDED']);
  const replay = await post(c, `deliveries/${discarded.id}/replay`);
  assert.deepEqual([replay.status, replay.body.error.code], [409, 'INVALID_STATE']);
  assert.equal((await node.call('GET', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key })).status, 404);
});

test('an endpoint that is deleted while a request is under way: its failure is not tried again', async () => {
  const c = await given(() => 'never');
  await node.publish(publisher, [c.tenant]);
  await node.fanOut();
  await until('the request is there', () => c.receiver.waiting === 1);
  await node.get(204, 'DELETE', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key });
  await node.quiet();
  assert.equal((await c.one()).error_class, 'TIMEOUT');
  clock.advance(48 * HOUR);
  await node.work();
  assert.deepEqual([(await c.one()).status, (await c.one()).error_class], ['DISCARDED', 'ENDPOINT_DELETED']);
  assert.equal(c.receiver.received.length, 1);
});

test('a delivery that is still under way cannot be replayed', async () => {
  const c = await given(() => 500);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const reply = await post(c, `deliveries/${(await c.one()).id}/replay`);
  assert.deepEqual([reply.status, reply.body.error.code], [409, 'INVALID_STATE']);
  assert.match(reply.body.error.message, /PENDING/);
});

test('a test event is the example of the catalogue, signed and retried like any other, but not in the audit trail', async () => {
  const c = await given((_r, nth) => (nth === 0 ? 500 : 200), { events: ['trade.created', 'offer.created'] });
  const before = (await node.get(200, 'GET', '/v1/events?limit=1', { key: publisher.key })).data[0].id;
  const send = (body: unknown) =>
    node.call('POST', `/v1/webhooks/endpoints/${c.endpoint.id}/test`, { key: c.tenant.key, body });
  const made = await send({});
  assert.deepEqual([made.status, made.body.isTest, made.body.event], [202, true, 'trade.created']);
  await node.work();
  clock.advance(WAITS[0] as number);
  await node.work();
  const [first, second] = c.receiver.received;
  assert.equal(first?.body, second?.body);
  assert.equal((JSON.parse(second?.body ?? '{}') as { event: string }).event, 'trade.created');
  assert.equal(second?.headers['x-service-attempt'], '2');
  assert.ok(
    stripe.webhooks.constructEvent(
      second?.body ?? '',
      second?.headers['x-service-signature'] ?? '',
      c.tenant.secret,
      300,
      undefined,
      clock.now(),
    ),
  );
  assert.equal((await c.one()).status, 'DELIVERED');
  assert.equal((await node.get(200, 'GET', '/v1/events?limit=1', { key: publisher.key })).data[0].id, before);

  assert.equal(
    (await send({ event: 'checkout.started' })).body.event,
    'checkout.started',
    'also one that is not subscribed to',
  );
  assert.equal((await send({ event: 'space_booking.paid' })).status, 400);
  assert.equal((await send({ event: 'nope' })).status, 400);
  const detail = await node.get(200, 'GET', `/v1/webhooks/deliveries/${made.body.id}`, { key: c.tenant.key });
  assert.equal(detail.body, first?.body);
  const replay = await post(c, `deliveries/${made.body.id}/replay`);
  assert.deepEqual([replay.status, replay.body.isTest], [202, true]);
  await node.work();
  assert.equal(c.receiver.received.at(-1)?.headers['x-service-replay'], 'true');
});

test('an account whose keys are all revoked keeps its deliveries: there is nothing to sign with', async () => {
  const c = await given(() => 200);
  await node.get(204, 'DELETE', `/v1/admin/api-keys/${c.tenant.keyId}`, { key: publisher.key });
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const waiting = await c.one();
  assert.deepEqual([waiting.status, waiting.attempts, waiting.error_class], ['PENDING', 0, 'NO_SIGNING_SECRET']);
  assert.equal(c.receiver.received.length, 0);
  await node.get(201, 'POST', '/v1/admin/api-keys', {
    key: publisher.key,
    body: { accountId: c.tenant.id, name: 'new', scopes: ['webhooks:manage'] },
  });
  clock.advance(MINUTE);
  await node.work();
  assert.deepEqual([(await c.one()).status, (await c.one()).attempts], ['DELIVERED', 1]);
});
