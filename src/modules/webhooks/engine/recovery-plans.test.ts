import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { planOf } from '../../../../test/helpers/plans.ts';
import { type EventRef, existingDeliveries, firstDeliveriesOf } from './delivery-store.ts';

const { db } = await withDatabase();
const ROWS = 60_000;

test('what has a row is found by indexes, also in a table that nothing has analyzed', async () => {
  // Else the time that this takes decides whether the planner knows the table.
  for (const part of ['first', 'rest'])
    await sql`alter table ${sql.table(`webhook_deliveries_${part}`)} set (autovacuum_enabled = off)`.execute(db);
  await sql`insert into accounts (id, name, type, created_at) values (gen_random_uuid(), 'Shop', 'MERCHANT', now())`.execute(
    db,
  );
  await sql`insert into webhook_endpoints (id, account_id, kind, url, status, after_position, version, created_at, updated_at)
    select gen_random_uuid(), id, 'MERCHANT', 'https://a.example', 'ACTIVE', 0, 1, now(), now() from accounts`.execute(
    db,
  );
  // Event i was published in millisecond i of the last minute; every second delivery has an id that does not follow from its event.
  const start = Date.now() - ROWS;
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status,
      attempts, request_id, attempt_log, created_at, updated_at)
    select (lpad(to_hex(${start}::bigint + i), 12, '0') || '7' || case i % 2 when 0 then '000' else '001' end || '8000' || lpad(to_hex(i), 12, '0'))::uuid,
      i, (lpad(to_hex(${start}::bigint + i), 12, '0') || '7000' || '9000' || lpad(to_hex(i), 12, '0'))::uuid,
      'offer.created', e.id, e.account_id, 'DELIVERED', 1, 'r', repeat('x', 500), now(), now()
    from generate_series(1, ${ROWS}::int) as i, webhook_endpoints e`.execute(db);
  const { rows: events } = await sql<EventRef>`
    select event_position::float8 as position, event_id as id from webhook_deliveries where event_position % 101 = 0 order by 1 limit 500`.execute(
    db,
  );
  assert.equal(events.length, 500);
  const found = await existingDeliveries(db, events);
  assert.deepEqual(new Set(found.keys()), new Set(events.map((e) => e.position)));
  const plan = await planOf(db, firstDeliveriesOf(events));
  const types = plan.map((part) => part['Node Type']);
  assert.ok(types.some((type) => type.includes('Index')));
  assert.deepEqual(
    types.filter((type) => type.startsWith('Gather') || type === 'Seq Scan'),
    [],
  );
});
