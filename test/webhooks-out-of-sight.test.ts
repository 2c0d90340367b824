import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../src/lib/ids.ts';
import { withDatabase } from './helpers/database.ts';
import { type Body, DeadLetters } from './helpers/dead-letters.ts';
import { disabledEndpoint } from './helpers/disabled-endpoint.ts';
import { deliveriesOf, startNode, until } from './helpers/engine.ts';
import { keeperOfThePast } from './helpers/keeper.ts';

const node = await startNode({ database: await withDatabase() });
const { clock, db } = node;
const publisher = await node.tenant('PLATFORM');
const letters = new DeadLetters(node);

test('while what is kept of a removed part is out of sight, nobody is told that it does not exist, and nothing is sent or opened by mistake', async () => {
  const shop = await letters.shop();
  const { key } = shop.tenant;
  const dead = await letters.seed(shop, { count: 8 });
  const ill = await disabledEndpoint(node, publisher, () => 500);
  await node.publish(publisher, [ill.tenant], [{ event: 'offer.created' }]);
  await node.work();
  const probed = await disabledEndpoint(node, publisher, () => 500);
  const probe = uuidv7(clock.now());
  await sql`update webhook_endpoints set probe_id = ${probe}, probe_asked = true where id = ${probed.endpoint.id}`.execute(
    db,
  );
  const keeper = await keeperOfThePast(db, clock);
  const seen = async (): Promise<Set<string>> =>
    new Set((await deliveriesOf(db, shop.endpoint.id)).map(({ id }) => id));
  while ((await seen()).size === 8) assert.equal(await keeper.step(), true);
  const visible = await seen();
  const hidden = dead.find((id) => !visible.has(id)) as string;
  // Nothing that is held for it is in sight.
  await sql`update webhook_deliveries set status = 'DISCARDED' where endpoint_id = ${ill.endpoint.id}`.execute(db);

  const about = `/v1/webhooks/deliveries/${hidden}`;
  const asked = [
    await node.call('GET', about, { key }),
    await node.call('POST', `${about}/replay`, { key }),
    await node.call('POST', `${about}/discard`, { key, body: { reason: 'r' } }),
    await ill.post(`endpoints/${ill.endpoint.id}/resume`),
  ];
  assert.deepEqual(
    asked.map(({ status, headers }) => [status, headers.get('retry-after')]),
    asked.map(() => [503, '5']),
  );
  assert.equal((await ill.endpointNow()).status, 'DISABLED');
  const letter = await node.ok(200, 'GET', '/v1/webhooks/dead-letters', { key });
  assert.deepEqual(
    letter.data.map((g: Body) => g.countIsExact),
    letter.data.map(() => false),
  );
  await node.keepUp();
  const isAsked = async (): Promise<boolean> => {
    const { rows } = await sql<{ asked: boolean }>`
      select probe_asked and probe_id is not null as asked from webhook_endpoints where id = ${probed.endpoint.id}`.execute(
      db,
    );
    return rows[0]?.asked === true;
  };
  assert.equal(await isAsked(), true, 'a probe that cannot be seen is not lost');

  while (await keeper.step());
  assert.equal((await node.call('GET', about, { key })).status, 200);
  assert.equal((await node.call('GET', `/v1/webhooks/deliveries/${uuidv7(clock.now())}`, { key })).status, 404);
  const [group] = (await node.ok(200, 'GET', '/v1/webhooks/dead-letters', { key })).data;
  assert.deepEqual([group.count, group.countIsExact], [8, true]);
  await node.keepUp();
  assert.equal(await isAsked(), false, 'one that is gone is');

  assert.equal((await ill.post(`endpoints/${ill.endpoint.id}/resume`)).status, 200);
});

test('what waited past its retention is seen once it has ended, as long as any other', async () => {
  const shop = await letters.shop();
  const [id = ''] = await letters.seed(shop, { status: 'PENDING', age: 100 * 86_400_000 });
  await node.work();
  await until('it was sent', async () => (await node.work(), shop.receiver.received.length === 1));
  await until(
    'its outcome is written',
    async () => (await node.work(), (await deliveriesOf(db, shop.endpoint.id))[0]?.status === 'DELIVERED'),
  );
  const { key } = shop.tenant;
  assert.equal((await node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, { key })).status, 'DELIVERED');
});
