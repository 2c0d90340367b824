import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import { databaseTime } from '../../../platform/db/index.ts';
import { claimDue } from '../engine/delivery-store.ts';
import { addPart } from './adding-store.ts';
import { isGone, partsOf, REST } from './parts-store.ts';
import { keptOf } from './taking-off-store.ts';
import { partsWith, rangeOfWaiting } from './waiting-store.ts';
import { GREATEST_ID, LEAST_ID, partOf, WEEK_MS, weekOf } from './weeks.ts';

const { db } = await withDatabase();
const NOW = await databaseTime(db);
const ENDPOINTS = 100;
const PER_ENDPOINT = 50;

const options = {
  parts: [{ name: 'here', part: 0, parts: 1 }],
  owner: 'here',
  now: new Date(NOW),
  leaseMs: 60_000,
  limit: 40,
  perEndpoint: 32,
  limits: new Map<string, number>(),
};

before(async () => {
  await sql`insert into event_readers (name, position, lease_owner, updated_at) values ('here', 0, 'here', now())`.execute(
    db,
  );
  for (let week = 1; week <= 4; week++) await addPart(db, partOf(weekOf(NOW) + week * WEEK_MS));
  const prefix = `${leastUuidv7(NOW - 1000).slice(0, 14)}7000-8`;
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id,
      next_attempt_at, created_at, updated_at)
    select (${prefix} || '000-' || lpad(to_hex(i), 12, '0'))::uuid, gen_random_uuid(), 'offer.created',
      ('00000000-0000-7000-8000-' || lpad(to_hex(i % ${ENDPOINTS}::int), 12, '0'))::uuid, gen_random_uuid(), 'PENDING', 0, 'r',
      ${new Date(NOW)}::timestamptz - interval '1 ms' * i, now(), now()
    from generate_series(1, ${ENDPOINTS * PER_ENDPOINT}::int) as i`.execute(db);
});

test('a claim takes what was due first, of each endpoint its share, and then the next', async () => {
  const seen = new Set<string>();
  for (let round = 0; round < 5; round++) {
    const rows = (await claimDue(db, options)) ?? [];
    assert.equal(rows.length, options.limit);
    for (const { id } of rows) assert.ok(!seen.has(id), 'claimed twice');
    for (const { id } of rows) seen.add(id);
    assert.equal(new Set(rows.map((r) => r.endpoint_id)).size, options.limit, 'of as many endpoints as rows');
  }
});

test('one endpoint with all that is due is not kept to the share of many', async () => {
  await sql`update webhook_deliveries set next_attempt_at = ${new Date(NOW)}::timestamptz + interval '1 hour'
    where endpoint_id <> '00000000-0000-7000-8000-000000000001'`.execute(db);
  assert.equal((await claimDue(db, options))?.length, 32);
});

test('where something waits is asked of an index for each part, however few of its rows wait', async () => {
  await sql`update webhook_deliveries set status = 'DELIVERED' where endpoint_id <> '00000000-0000-7000-8000-000000000001'`.execute(
    db,
  );
  await sql`analyze webhook_deliveries`.execute(db);
  const parts = [...(await partsOf(db)), { name: REST, from: LEAST_ID, to: GREATEST_ID }];
  assert.equal(parts.length, 6);
  for (const [status, found] of [
    ['PENDING', 1],
    ['HELD', 0],
  ] as const) {
    const query = partsWith(parts, status);
    const plan = await planOf(db, query);
    assert.ok(mostRead(plan) <= 1, `${mostRead(plan)} rows were read`);
    assert.equal((await query.execute(db)).rows.length, found);
  }
  const { from, to } = await rangeOfWaiting(db, 'PENDING', new Date(NOW + 2 * WEEK_MS));
  assert.deepEqual([from, to], [LEAST_ID, leastUuidv7(weekOf(NOW) + 4 * WEEK_MS)]);
});

test('of a part that goes nothing is read but what is kept, however much was retried or discarded', async () => {
  const { name } = (await partsOf(db))[0] as { name: string };
  const prefix = `${leastUuidv7(NOW - 2000).slice(0, 14)}7000-8`;
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, created_at, updated_at)
    select (${prefix} || '000-' || lpad(to_hex(i), 12, '0'))::uuid, gen_random_uuid(), 'offer.created', gen_random_uuid(), gen_random_uuid(),
      case when i % 3000 = 0 then 'DEAD' when i % 2 = 0 then 'DISCARDED' else 'DELIVERED' end, 2, 'r', now(), now()
    from generate_series(1, 30000) as i`.execute(db);
  await sql`vacuum analyze webhook_deliveries`.execute(db);
  const kept = keptOf(name, { deadFrom: LEAST_ID, portion: 250 }, 'ctid');
  // What is PENDING since the first test, and ten dead letters.
  assert.ok(mostRead(await planOf(db, kept)) <= 250);
  assert.equal((await kept.execute(db)).rows.length, PER_ENDPOINT + 10);
  const none = keptOf(name, { deadFrom: GREATEST_ID, portion: 250 }, 'ctid');
  assert.equal((await none.execute(db)).rows.length, PER_ENDPOINT);
});

test('a part that is removed while it is asked for waits nowhere: everything is looked at', async () => {
  const gone = { name: 'webhook_deliveries_20000101', from: LEAST_ID, to: GREATEST_ID };
  await assert.rejects(partsWith([gone], 'PENDING').execute(db), (error) => isGone(error));
});
