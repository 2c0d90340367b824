import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../src/lib/ids.ts';
import { lastPosition } from '../src/modules/events/index.ts';
import { given } from './helpers/case.ts';
import { withDatabase } from './helpers/database.ts';
import { cursorOf, deliveriesOf, startNode, type Tenant, until, untilAll } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const MINUTE = 60_000;
/** What hangs does so for longer than a test takes. */
const settings = { WEBHOOK_TIMEOUT_SECONDS: '60' };
const node = await startNode({ database: await withDatabase(), settings });
const { db } = node;
const publisher = await node.tenant('PLATFORM');

/** Deliveries that were due a minute ago, oldest first. */
async function makeDue(tenant: Tenant, endpointId: string, count: number, ageMs = MINUTE): Promise<void> {
  for (let i = 0; i < count; i++) {
    const due = new Date(node.clock.now() - ageMs);
    await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts,
        next_attempt_at, request_id, body, created_at, updated_at)
      values (${uuidv7(node.clock.now())}::uuid, ${uuidv7(node.clock.now())}::uuid, 'checkout.started', ${endpointId}::uuid,
        ${tenant.id}::uuid, 'PENDING', 1, ${due}, 'test-request', '{}', ${due}, ${due})`.execute(db);
  }
}

const claimedOf = async (endpointId: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from webhook_deliveries
    where endpoint_id = ${endpointId}::uuid and lease_owner is not null`.execute(db);
  return rows[0]?.n ?? 0;
};

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
  const hanging = await node.endpoint(a, slow.url());
  await node.endpoint(b, quick.url(), { maxInFlight: 500 });
  await node.publish(publisher, [a]);
  const batch = Array.from({ length: 500 }, () => ({ event: 'seller.linked' as const }));
  for (let i = 0; i < 6; i++) await node.publish(publisher, [b], batch);
  await untilAll('3000 events pass it', 3000, async () => {
    await node.fanOut();
    await node.claim();
    return new Set(quick.received.map((r) => r.headers['x-service-event-id'])).size;
  });
  assert.deepEqual(await deliveriesOf(db, hanging.id), [], 'still without an outcome');
  assert.equal(slow.waiting, 1, 'still without an answer');
  slow.release();
  await untilAll('everything has its row', await lastPosition(db), async () => {
    await node.work();
    return cursorOf(db);
  });
});

test('200 due deliveries of an endpoint that hangs do not keep that of another from being claimed', async () => {
  const [hanging, healthy] = [await given(node, () => 'never'), await given(node, () => 200)];
  await makeDue(hanging.tenant, hanging.endpoint.id, 200);
  await makeDue(healthy.tenant, healthy.endpoint.id, 1, 0);
  await node.engine.claims.step();
  assert.equal(await claimedOf(hanging.endpoint.id), 2, 'no more of one that has not answered yet');
  await until('the other has its own', () => healthy.receiver.received.length === 1);
  await node.claim();
  assert.equal(await claimedOf(hanging.endpoint.id), 2, 'nor more while it is full');
  hanging.receiver.script = () => 200;
  hanging.receiver.release();
  await until('all of it is sent in the end', async () => {
    await node.work();
    return (await hanging.statuses()).every((s) => s === 'DELIVERED');
  });
  assert.equal(hanging.receiver.received.length, 200);
});

test('of what is due, an endpoint with a rate gets ten seconds of it, and its waiting stops nobody', async () => {
  const limited = await given(node, () => 200, { ratePerSecond: 1 });
  await makeDue(limited.tenant, limited.endpoint.id, 40);
  await node.engine.claims.step();
  await until('one goes at once, and more of it is claimed once it has answered', async () => {
    await node.claim();
    return (await claimedOf(limited.endpoint.id)) >= 9;
  });
  assert.ok(limited.receiver.received.length <= 3);
  await node.claim();
  const { queued } = node.engine.dispatcher;
  assert.ok(queued <= 10, `${queued} are waiting`);
  await node.call('DELETE', `/v1/webhooks/endpoints/${limited.endpoint.id}`, { key: limited.tenant.key });
});

test('nor do those of many that hang: at the latest the step after finds it', async () => {
  const crowd = await Promise.all(Array.from({ length: 8 }, () => given(node, () => 'never')));
  const healthy = await given(node, () => 200);
  for (const one of crowd) await makeDue(one.tenant, one.endpoint.id, 40);
  await makeDue(healthy.tenant, healthy.endpoint.id, 1, 0);
  await node.engine.claims.step();
  await node.engine.claims.step();
  await until('it has its own', () => healthy.receiver.received.length === 1);
  for (const one of crowd) {
    one.receiver.script = () => 200;
    one.receiver.release();
  }
  await until('all of it is sent in the end', async () => {
    await node.work();
    return crowd.every((one) => one.receiver.received.length === 40);
  });
});
