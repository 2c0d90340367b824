import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../src/lib/clock.ts';
import { withDatabase } from './helpers/database.ts';
import { startNode } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const HOUR = 3_600_000;
// Ids hold the time and never go back within a process: it is later than now.
const clock = new ManualClock(Date.parse('2030-05-04T10:30:00Z'));
const node = await startNode({ database: await withDatabase(), clock });
const publisher = await node.tenant('PLATFORM');

test('what was published and sent is told of to whom it concerns, hour by hour', async () => {
  const receiver = await startReceiver();
  const [shop, other] = [await node.tenant(), await node.tenant()];
  const endpoint = await node.endpoint(shop, receiver.url());
  await node.publish(publisher, [shop], [{ event: 'checkout.started' }, { event: 'offer.created' }]);
  await node.work();
  clock.advance(2 * HOUR);
  await node.publish(publisher, [shop, other], [{ event: 'offer.created' }]);
  await node.work();
  clock.advance(1);

  const events = await node.call('GET', '/v1/insights/events', { key: shop.key });
  assert.equal(events.status, 200);
  assert.deepEqual([events.body.bucket, events.body.total, events.body.data.length], ['hour', 3, 24]);
  assert.deepEqual(
    events.body.data.slice(-3).map((bucket: { events: object }) => bucket.events),
    [{ 'checkout.started': 1, 'offer.created': 1 }, {}, { 'offer.created': 1 }],
  );
  assert.equal((await node.call('GET', '/v1/insights/events', { key: other.key })).body.total, 1);

  const query = `?groupBy=endpoint&endpointId=${endpoint.id}&since=2030-05-04T00:00:00Z&bucket=day`;
  const { body } = await node.call('GET', `/v1/insights/deliveries${query}`, { key: shop.key });
  assert.deepEqual(
    [body.total, body.delivered, body.attempts, body.successRate, body.sampled, body.oldestPending],
    [3, 3, 3, 1, 3, null],
  );
  assert.ok(body.attemptMs.p50 > 0 && body.attemptMs.p95 >= body.attemptMs.p50, JSON.stringify(body.attemptMs));
  assert.deepEqual(
    body.groups.map((group: { endpointId: string; total: number }) => [group.endpointId, group.total]),
    [[endpoint.id, 3]],
  );
  const foreign = await node.call('GET', `/v1/insights/deliveries${query}`, { key: other.key });
  assert.deepEqual([foreign.status, foreign.body.total], [200, 0]);
});

test('more than a thousand buckets are refused, with what to do', async () => {
  const { key } = await node.tenant();
  const { status, body } = await node.call('GET', '/v1/insights/events?bucket=minute&since=2030-05-01T00:00:00Z', {
    key,
  });
  assert.deepEqual([status, body.error.details[0].path], [400, 'query.bucket']);
});
