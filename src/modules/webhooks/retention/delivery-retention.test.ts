import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { deliveriesOf, startNode } from '../../../../test/helpers/engine.ts';
import { startReceiver } from '../../../../test/helpers/receiver.ts';
import { deliveriesOfEvents } from '../deliveries/list-deliveries.ts';

const node = await startNode({ database: await withDatabase() });
const operator = await node.tenant('PLATFORM');
const [receiver, tenant, other] = [await startReceiver(), await node.tenant(), await node.tenant()];

const address = (id: string): string => `/v1/admin/accounts/${id}/delivery-retention`;
const keepFor = (days: number | null) => node.ok(200, 'PUT', address(tenant.id), { key: operator.key, body: { days } });
const listed = async (key: string): Promise<string[]> =>
  (await node.ok(200, 'GET', '/v1/webhooks/deliveries', { key })).data.map((d: { id: string }) => d.id);

test('a shorter time hides at once what has ended, for lists, detail and replay; a longer one brings it back', async () => {
  const [mine, theirs] = [await node.endpoint(tenant, receiver.url()), await node.endpoint(other, receiver.url())];
  await node.publish(operator, [tenant, other], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await node.work();
  const [first, second] = await deliveriesOf(node.db, mine.id);
  assert.ok(first && second);
  await sql`update webhook_deliveries set created_at = now() - interval '31 days', updated_at = now() - interval '31 days'`.execute(
    node.db,
  );
  await sql`update webhook_deliveries set status = 'DEAD' where id = ${second.id}`.execute(node.db);
  assert.deepEqual(await listed(tenant.key), [second.id, first.id]);

  assert.deepEqual(await keepFor(30), { accountId: tenant.id, days: 30, usualDays: 90 });
  assert.deepEqual(await listed(tenant.key), [second.id], 'a dead letter is still there');
  assert.equal((await node.call('GET', `/v1/webhooks/deliveries/${first.id}`, { key: tenant.key })).status, 404);
  assert.equal(
    (await node.call('POST', `/v1/webhooks/deliveries/${first.id}/replay`, { key: tenant.key })).status,
    404,
  );
  const events = [first, second].map((d) => ({ position: d.event_position ?? 0, id: d.event_id }));
  const shown = await deliveriesOfEvents(node.db, { events, accounts: [tenant.id], retentionDays: 90 }, 10);
  assert.deepEqual(
    shown.map((d) => d.id),
    [second.id],
    'timelines neither',
  );
  assert.equal(
    (await listed(other.key)).length,
    (await deliveriesOf(node.db, theirs.id)).length,
    'not those of others',
  );
  assert.equal((await listed(operator.key)).length, 3, 'operators neither');

  await keepFor(32);
  assert.deepEqual(await listed(tenant.key), [second.id, first.id]);
  await keepFor(30);
  await keepFor(null);
  assert.equal((await listed(tenant.key)).length, 2);
  await sql`update webhook_deliveries set created_at = now() - interval '91 days', updated_at = now() - interval '91 days' where id = ${first.id}`.execute(
    node.db,
  );
  assert.deepEqual(await listed(tenant.key), [second.id], 'past what is usual');
  assert.deepEqual(await node.ok(200, 'GET', address(tenant.id), { key: operator.key }), {
    accountId: tenant.id,
    days: null,
    usualDays: 90,
  });
});

test('an account that is not there, and times that are none, are refused', async () => {
  const none = address('00000001-0000-7000-8000-000000000000');
  assert.equal((await node.call('PUT', none, { key: operator.key, body: { days: 1 } })).status, 404);
  for (const days of [0, -1, 1.5, 36_501, '7']) {
    assert.equal((await node.call('PUT', address(tenant.id), { key: operator.key, body: { days } })).status, 400);
  }
});
