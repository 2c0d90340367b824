import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { planOf } from '../../../../test/helpers/plans.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { firstDeliveriesOf } from './delivery-store.ts';

const { db } = await withDatabase();
const ROWS = 60_000;

test('what has a row is found by indexes, also in a table that nothing has analyzed', async () => {
  // Else the time of a test decides whether the planner knows the table.
  await sql`alter table webhook_deliveries_first set (autovacuum_enabled = off)`.execute(db);
  await sql`insert into accounts (id, name, type, created_at) values (gen_random_uuid(), 'Shop', 'MERCHANT', now())`.execute(
    db,
  );
  await sql`insert into webhook_endpoints (id, account_id, kind, url, status, after_position, version, created_at, updated_at)
    select gen_random_uuid(), id, 'MERCHANT', 'https://a.example', 'ACTIVE', 0, 1, now(), now() from accounts`.execute(
    db,
  );
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status,
      attempts, request_id, attempt_log, created_at, updated_at)
    select gen_random_uuid(), i, gen_random_uuid(), 'offer.created', e.id, e.account_id, 'DELIVERED', 1, 'r', repeat('x', 500), now(), now()
    from generate_series(1, ${ROWS}::int) as i, webhook_endpoints e`.execute(db);
  const events = Array.from({ length: 500 }, (_, i) => ({ position: 1 + i * 100, id: uuidv7(Date.now()) }));
  const plan = await planOf(db, firstDeliveriesOf(events));
  const types = plan.map((node) => node['Node Type']);
  assert.ok(types.some((type) => type.includes('Index')));
  assert.deepEqual(
    types.filter((type) => type.startsWith('Gather') || type === 'Seq Scan'),
    [],
  );
});
