import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { listDeliveries } from './list-deliveries.ts';
import { deliveriesQuery, type DeliveryFilter, selectDeliveries } from './store.ts';

const { db } = await withDatabase();
const ACCOUNT = '00000001-0000-7000-8000-000000000000';

before(async () => {
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status,
      attempts, request_id, replay_of, created_at, updated_at)
    select ('0000000' || (i % 500 = 0)::int || '-' || p || '-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, (i + 1) / 2,
      ('00000000-' || p || '-7000-8000-000000000000')::uuid, 'offer.created',
      gen_random_uuid(), ${ACCOUNT}::uuid, case when i % 1000 = 0 then 'DEAD' else 'DELIVERED' end, 1, 'r',
      case when i % 500 = 0 then gen_random_uuid() end, now(), now()
    from generate_series(1, 20000) as i, lateral (select lpad(to_hex((i + 1) / 2), 4, '0') as p) as position`.execute(
    db,
  );
  await sql`analyze webhook_deliveries`.execute(db);
});

const filter = (more: Partial<DeliveryFilter>): DeliveryFilter => ({
  accounts: [ACCOUNT],
  before: null,
  limit: 10,
  retentionDays: 90,
  ...more,
});
const planFor = (more: Partial<DeliveryFilter>) => planOf(db, sql`${deliveriesQuery(db, filter(more))}`);

test('of an account with many deliveries, those that were not delivered are read and no others', async () => {
  const plan = await planFor({ status: 'DEAD' });
  assert.ok(indexesOf(plan).includes('webhook_deliveries_unusual'), String(indexesOf(plan)));
  assert.ok(mostRead(plan) <= 20, `${mostRead(plan)} rows were read`);
  assert.equal((await selectDeliveries(db, filter({ status: 'DEAD' }))).length, 10);
});

test('of the events of a trade, their deliveries and replays are read and no others', async () => {
  const events = [250, 251, 9999].map((position) => ({
    position,
    id: `00000000-${position.toString(16).padStart(4, '0')}-7000-8000-000000000000`,
  }));
  const plan = await planFor({ events });
  const indexes = indexesOf(plan).filter((name) => name.startsWith('webhook_deliveries'));
  assert.deepEqual(new Set(indexes), new Set(['webhook_deliveries_event', 'webhook_deliveries_pkey']));
  assert.ok(mostRead(plan) <= 45, `${mostRead(plan)} rows were read`);
  const found = await selectDeliveries(db, filter({ events }));
  assert.deepEqual(
    found.map((d) => [d.event_position, d.replay_of !== null]),
    [
      [250, true],
      [9999, false],
      [9999, false],
      [251, false],
      [251, false],
      [250, false],
    ],
  );
});

test('a name that no webhook has is an empty page', async () => {
  assert.deepEqual(await listDeliveries(db, { event: 'nope', limit: 10 }, 'all', 90), { data: [], nextCursor: null });
});
