import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { lastPosition } from '../src/modules/events/index.ts';
import { withDatabase } from './helpers/database.ts';
import {
  cursorOf,
  deliveriesOf,
  expireLeases,
  expireReaders,
  startNode,
  type TestNode,
  until,
} from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const MINUTE = 60_000;
const database = await withDatabase();
/** Publishes and manages; its loops never run, so it holds no lease. */
const front = await startNode({ database, settings: { WEBHOOK_MAX_ENDPOINTS: '100' } });
const { clock, db } = front;
const publisher = await front.tenant('PLATFORM');

/** A worker of its own on the same database. Whoever worked before has been silent for long enough. */
async function worker(settings: Record<string, string> = {}): Promise<TestNode> {
  await expireLeases(db);
  return startNode({ database, clock, settings: { SHUTDOWN_SECONDS: '1', ...settings } });
}

/** Attempts that a node has made. */
async function attemptsOf(node: TestNode): Promise<number> {
  const metric = await node.service.opened.platform.metrics.getSingleMetric('posthorn_webhook_attempts_total')?.get();
  return metric?.values.reduce((sum, v) => sum + v.value, 0) ?? 0;
}

test('killed after sending, before the outcomes are written: everything is sent again', async () => {
  const [receiver, tenant] = [await startReceiver(), await front.tenant()];
  const endpoint = await front.endpoint(tenant, receiver.url());
  const first = await worker();
  const ids = await front.publish(
    publisher,
    [tenant],
    [{ event: 'offer.created' }, { event: 'offer.accepted' }, { event: 'trade.created' }],
  );
  first.die();
  await first.fanOut();
  await until('all three are sent', () => receiver.received.length === 3);
  assert.deepEqual(await deliveriesOf(db, endpoint.id), []);

  const second = await worker();
  await second.work();
  const eventIds = receiver.received.map((r) => r.headers['x-service-event-id'] ?? '');
  assert.deepEqual(eventIds.toSorted(), [...ids, ...ids].toSorted(), 'at least once: here twice');
  const deliveryIds = receiver.received.map((r) => r.headers['x-service-delivery-id'] ?? '');
  assert.deepEqual(deliveryIds.slice(0, 3).toSorted(), deliveryIds.slice(3).toSorted(), 'under the same ids');
  const stored = await deliveriesOf(db, endpoint.id);
  assert.deepEqual(
    stored.map((d) => `${d.status} ${d.attempts}`),
    Array(3).fill('DELIVERED 1'),
  );
  assert.equal(await cursorOf(db), await lastPosition(db));
});

test('killed in the middle of an event: what has a row is not sent again', async () => {
  const [quick, slow, tenant] = [await startReceiver(), await startReceiver(() => 'never'), await front.tenant()];
  await front.endpoint(tenant, quick.url());
  await front.endpoint(tenant, slow.url());
  const first = await worker();
  const before = await lastPosition(db);
  await front.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await first.fanOut();
  await until(
    'the quick ones are written',
    async () => (await deliveriesOf(db)).filter((d) => (d.event_position ?? 0) > before).length === 2,
  );
  assert.deepEqual([quick.received.length, slow.received.length], [2, 2]);
  assert.equal(await cursorOf(db), before, 'the cursor has not passed what has no row');
  first.die();

  slow.script = () => 200;
  const second = await worker();
  await second.work();
  assert.deepEqual([quick.received.length, slow.received.length], [2, 4]);
  assert.equal(await cursorOf(db), await lastPosition(db));
  slow.release();
});

test('killed right before an upgrade: rows with ids of the earlier kind are known for what they are', async () => {
  const [receiver, tenant] = [await startReceiver(), await front.tenant()];
  const [earlier, later] = [await front.endpoint(tenant, receiver.url()), await front.endpoint(tenant, receiver.url())];
  const before = await lastPosition(db);
  const [eventId] = await front.publish(publisher, [tenant], [{ event: 'offer.created' }]);
  // As the version before wrote it: with an id of its own.
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
      request_id, created_at, updated_at)
    values (${front.env.newId()}, ${before + 1}, ${eventId}, 'offer.created', ${earlier.id}, ${tenant.id}, 'DELIVERED', 1, 'r',
      now(), now())`.execute(db);
  await (await worker()).work();
  assert.equal(receiver.received.length, 1, 'only what had no row is sent');
  const stored = (await deliveriesOf(db)).filter((d) => d.event_id === eventId);
  assert.deepEqual(new Set(stored.map((d) => d.endpoint_id)), new Set([earlier.id, later.id]));
  assert.equal(stored.length, 2);
});

test('the durable cursor stands before the first event without all its rows, and moves on when it has them', async () => {
  const [quick, slow] = [await startReceiver(), await startReceiver(() => 'never')];
  const [a, b, nobody] = [await front.tenant(), await front.tenant(), await front.tenant()];
  await front.endpoint(a, quick.url());
  await front.endpoint(b, slow.url());
  const node = await worker();
  await front.publish(
    publisher,
    [a],
    Array.from({ length: 5 }, () => ({ event: 'offer.created' as const })),
  );
  await node.work();
  const before = await lastPosition(db);
  assert.equal(await cursorOf(db), before);
  await front.publish(publisher, [b], [{ event: 'offer.created' }]);
  await front.publish(
    publisher,
    [a],
    Array.from({ length: 30 }, () => ({ event: 'offer.created' as const })),
  );
  await front.publish(publisher, [nobody], [{ event: 'offer.created' }]);
  await node.fanOut();
  await until('the quick ones are there', () => quick.received.length === 35);
  await node.engine.recorder.drain();
  assert.equal(await cursorOf(db), before);
  slow.release();
  await node.quiet();
  assert.equal(await cursorOf(db), await lastPosition(db), 'also past an event that nobody subscribes to');
});

test('events that nobody subscribes to move the cursor too', async () => {
  const node = await worker();
  const tenant = await front.tenant();
  await front.publish(
    publisher,
    [tenant],
    Array.from({ length: 400 }, () => ({ event: 'offer.created' as const })),
  );
  await node.work();
  assert.equal(await cursorOf(db), await lastPosition(db));
});

test('a holder that was silent for too long is taken over from, and what it writes late changes nothing', async () => {
  const [receiver, tenant] = [await startReceiver(() => 'never'), await front.tenant()];
  const endpoint = await front.endpoint(tenant, receiver.url());
  const old = await worker();
  await front.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await old.fanOut();
  await until('the old holder has sent', () => receiver.waiting === 2);

  const young = await startNode({ database, clock });
  await young.fanOut();
  assert.equal(receiver.received.length, 2, 'while the lease runs nobody else reads');

  const cursor = await cursorOf(db);
  await expireLeases(db);
  await until('the lease is taken over', async () => (await young.fanOut(), receiver.waiting === 4));
  receiver.release(2);
  await old.quiet();
  assert.deepEqual(await deliveriesOf(db, endpoint.id), [], 'the late outcomes of the old holder are not written');
  assert.equal(await cursorOf(db), cursor, 'nor is the cursor moved');
  assert.equal(old.engine.fanOut.open, 0, 'it has forgotten what it was at');
  receiver.script = () => 200;
  receiver.release();
  await young.quiet();
  assert.deepEqual(
    (await deliveriesOf(db, endpoint.id)).map((d) => d.status),
    ['DELIVERED', 'DELIVERED'],
  );
  assert.equal(await cursorOf(db), await lastPosition(db));
  await front.publish(publisher, [tenant], [{ event: 'trade.created' }]);
  await old.fanOut();
  await old.quiet();
  assert.equal(receiver.received.length, 4, 'it reads no further');
  await young.work();
  assert.equal(receiver.received.length, 5);

  await young.service.stop();
  await front.publish(publisher, [tenant], [{ event: 'trade.created' }]);
  await until('the old one can hold it again', async () => (await old.work(), receiver.received.length === 6));
  assert.equal(await cursorOf(db), await lastPosition(db));
});

test('a node that stops hands over at once, without waiting for a lease to end', async () => {
  const [receiver, tenant] = [await startReceiver(() => 'never'), await front.tenant()];
  const endpoint = await front.endpoint(tenant, receiver.url());
  const leaving = await worker();
  await front.publish(publisher, [tenant]);
  await leaving.fanOut();
  await until('a request is under way', () => receiver.waiting === 1);
  await leaving.service.stop();
  receiver.script = () => 200;
  const next = await startNode({ database, clock });
  await next.work();
  assert.deepEqual(
    (await deliveriesOf(db, endpoint.id)).map((d) => d.status),
    ['DELIVERED'],
  );
});

test('1000 due deliveries and two workers: each is delivered exactly once, by the one that sends', async (t) => {
  if (database.kind === 'pglite') return t.skip('the embedded database has one connection');
  const [receiver, tenant] = [await startReceiver(() => 500), await front.tenant()];
  for (let e = 0; e < 10; e++) await front.endpoint(tenant, receiver.url(`/${e}`), { maxInFlight: 64 });
  const [a, b] = [await worker(), await worker()];
  await front.publish(
    publisher,
    [tenant],
    Array.from({ length: 100 }, () => ({ event: 'offer.created' as const })),
  );
  await a.fanOut();
  // On a busy machine some wait for over a second, are put off, and have their first attempt by a claim.
  await until('each had its first attempt', async () => {
    await a.quiet();
    await a.claim();
    await a.quiet();
    return receiver.received.length >= 1000;
  });
  assert.equal(receiver.received.length, 1000);
  receiver.script = () => 200;
  clock.advance(30 * MINUTE);
  const [madeByA, madeByB] = [await attemptsOf(a), await attemptsOf(b)];
  const counts = async (): Promise<Map<string, number>> =>
    Map.groupBy(await deliveriesOf(db), (d) => d.status)
      .entries()
      .reduce((m, [s, ds]) => m.set(s, ds.length), new Map<string, number>());
  await until('nothing is due any more', async () => {
    await Promise.all([a.claim(), b.claim()]);
    return !(await counts()).has('PENDING');
  });
  await Promise.all([a.quiet(), b.quiet()]);
  const second = receiver.received.slice(1000);
  assert.equal(second.length, 1000);
  assert.equal(new Set(second.map((r) => r.headers['x-service-delivery-id'])).size, 1000);
  assert.ok(second.every((r) => r.headers['x-service-attempt'] === '2'));
  const shares = [(await attemptsOf(a)) - madeByA, (await attemptsOf(b)) - madeByB];
  assert.deepEqual(shares, [1000, 0]);
});

test('whoever takes over sends at once what the one before had claimed, and that one can no longer write', async () => {
  const [receiver, tenant] = [await startReceiver(() => 500), await front.tenant()];
  const endpoint = await front.endpoint(tenant, receiver.url());
  const first = await worker();
  await front.publish(publisher, [tenant]);
  await first.work();
  clock.advance(3 * MINUTE);
  receiver.script = () => 'never';
  await first.claim();
  await until('the second attempt is under way', () => receiver.waiting === 1);

  const second = await startNode({ database, clock });
  receiver.script = () => 503;
  await second.claim();
  await second.quiet();
  assert.equal(receiver.received.length, 2, 'the first one is still the one that sends');
  await expireReaders(db);
  await until('the second one sends', async () => {
    await second.claim();
    await second.quiet();
    return receiver.received.length === 3;
  });
  const written = await deliveriesOf(db, endpoint.id);
  assert.deepEqual(
    written.map((d) => [d.status, d.attempts]),
    [['PENDING', 2]],
  );
  receiver.release();
  await first.quiet();
  assert.deepEqual(await deliveriesOf(db, endpoint.id), written);
});

test('outcomes that cannot be written now are kept and written later; the receiver is not called again for it', async () => {
  const [receiver, tenant] = [await startReceiver(), await front.tenant()];
  const endpoint = await front.endpoint(tenant, receiver.url());
  const node = await worker();
  // It holds the reader before the database fails it, so that it need not look for what another may have handled.
  await node.work();
  await front.publish(publisher, [tenant]);
  await sql`alter table webhook_deliveries rename to webhook_deliveries_away`.execute(db);
  try {
    await node.fanOut();
    await until(
      'it is sent and its outcome waits',
      () => receiver.received.length === 1 && node.engine.dispatcher.inFlight === 0,
    );
  } finally {
    await sql`alter table webhook_deliveries_away rename to webhook_deliveries`.execute(db);
  }
  await node.quiet();
  assert.deepEqual(
    (await deliveriesOf(db, endpoint.id)).map((d) => [d.status, d.attempts]),
    [['DELIVERED', 1]],
  );
  assert.equal(receiver.received.length, 1);
});
