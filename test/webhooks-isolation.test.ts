import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastPosition } from '../src/modules/events/index.ts';
import { withDatabase } from './helpers/database.ts';
import { cursorOf, deliveriesOf, startNode, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const node = await startNode({ database: await withDatabase() });
const { db } = node;
const publisher = await node.tenant('PLATFORM');

test('an endpoint that never answers delays nobody; its surplus becomes rows that are claimed later', async () => {
  const [slow, quick, tenant] = [await startReceiver(() => 'never'), await startReceiver(), await node.tenant()];
  const slowEndpoint = await node.endpoint(tenant, slow.url(), { maxInFlight: 2 });
  const quickEndpoint = await node.endpoint(tenant, quick.url());
  await node.publish(
    publisher,
    [tenant],
    Array.from({ length: 20 }, () => ({ event: 'offer.created' as const })),
  );
  await node.fanOut();
  await until('the other endpoint has everything', () => quick.received.length === 20);
  assert.equal(slow.received.length, 2, 'no more at once than it may get');
  await until('the surplus is written', async () => (await deliveriesOf(db, slowEndpoint.id)).length === 18);
  const surplus = await deliveriesOf(db, slowEndpoint.id);
  assert.deepEqual(
    surplus.map((d) => `${d.status} ${d.attempts}`),
    Array(18).fill('PENDING 0'),
  );

  await node.claim();
  assert.equal(slow.received.length, 2, 'while it has all it can take, nothing more is claimed for it');
  await node.publish(publisher, [tenant], [{ event: 'offer.accepted' }]);
  await node.fanOut();
  await until('and the other goes on', () => quick.received.length === 21);

  slow.script = () => 200;
  slow.release();
  await until('the slow one has everything in the end', async () => {
    await node.work();
    return (await deliveriesOf(db, slowEndpoint.id)).every((d) => d.status === 'DELIVERED');
  });
  assert.equal(new Set(slow.received.map((r) => r.headers['x-service-event-id'])).size, 21);
  assert.equal(slow.received.length, 21, 'each once');
  assert.equal((await deliveriesOf(db, quickEndpoint.id)).length, 21);
});

test('one delivery without an answer holds up no number of other events', async () => {
  const [slow, quick] = [await startReceiver(() => 'never'), await startReceiver()];
  const [a, b] = [await node.tenant(), await node.tenant()];
  await node.endpoint(a, slow.url());
  await node.endpoint(b, quick.url(), { maxInFlight: 500 });
  await node.publish(publisher, [a]);
  const batch = Array.from({ length: 500 }, () => ({ event: 'seller.linked' as const }));
  for (let i = 0; i < 12; i++) await node.publish(publisher, [b], batch);
  await until('6000 events pass it', async () => {
    await node.fanOut();
    await node.claim();
    return new Set(quick.received.map((r) => r.headers['x-service-event-id'])).size === 6000;
  });
  assert.equal(slow.waiting, 1, 'still without an answer');
  slow.release();
  await until(
    'everything has its row',
    async () => (await node.work(), (await cursorOf(db)) === (await lastPosition(db))),
  );
});
