import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase } from '../../../../test/helpers/database.ts';
import { leastUuidv7, uuidv7Maker } from '../../../lib/ids.ts';
import { databaseTime, loadMigrations, migrate } from '../../../platform/db/index.ts';
import { existingDeliveries, keyOf } from '../engine/delivery-store.ts';
import { WEEK_MS, weekOf } from './weeks.ts';

const { db } = await emptyDatabase();
const ROWS = 500;

interface Stored {
  id: string;
  place: string;
  text: string;
}

const stored = async (): Promise<Stored[]> =>
  (
    await sql<Stored>`select id, tableoid::regclass::text as place, (to_jsonb(d) - 'faults')::text as text from webhook_deliveries d order by id`.execute(
      db,
    )
  ).rows;

const newId = uuidv7Maker();

test('the table of an earlier version becomes the first part as it is; only what is ahead of its time moves', async () => {
  const all = await loadMigrations();
  const at = all.findIndex((m) => m.name.startsWith('0029-'));
  await migrate(db, all.slice(0, at));
  const now = await databaseTime(db);
  const end = weekOf(now) + WEEK_MS;
  // Ids as they were then: of their own, not of their event.
  const ids = Array.from({ length: ROWS }, (_, i) => newId(now - 1000 + i));
  const event = { position: 7, id: newId(now) };
  const ahead = `${leastUuidv7(end).slice(0, 14)}7000-8000-000000000001`;
  const endpoint = newId(now);
  for (const id of [...ids, ahead]) {
    await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
        request_id, attempt_log, created_at, updated_at)
      values (${id}, ${id === ids[0] ? event.position : 8}, ${event.id}, ${`offer.${id}`}, ${endpoint}, ${endpoint},
        ${['PENDING', 'HELD', 'DEAD', 'DELIVERED'][Number.parseInt(id.at(-1) as string, 16) % 4]}, 1, 'r', '{}', now(), now())`.execute(
      db,
    );
  }
  const before = await stored();
  const { rows: old } = await sql<{
    file: string;
  }>`select pg_relation_filenode('webhook_deliveries')::text as file`.execute(db);

  await migrate(db, all);
  const after = await stored();
  assert.deepEqual(
    after.map((r) => [r.id, r.text]),
    before.map((r) => [r.id, r.text]),
  );
  assert.deepEqual(
    after.map((r) => r.place.replace('webhook_deliveries_', '')),
    after.map((r) => (r.id === ahead ? 'rest' : 'first')),
  );
  const { rows: first } = await sql<{ file: string }>`
    select pg_relation_filenode('webhook_deliveries_first')::text as file`.execute(db);
  assert.deepEqual(first, old, 'nothing was copied');
  assert.deepEqual(
    await existingDeliveries(db, [event]),
    new Map([[event.position, new Set([keyOf(endpoint, `offer.${ids[0]}`)])]]),
  );

  // Every part has the indexes of the whole, each valid and fully there.
  const { rows } = await sql<{ part: string; indexes: number; invalid: number }>`
    select indrelid::regclass::text as part, count(*)::int as indexes, (count(*) filter (where not indisvalid))::int as invalid
    from pg_index where indrelid::regclass::text like 'webhook_deliveries%' group by 1`.execute(db);
  assert.equal(rows.length, 3);
  assert.equal(new Set(rows.map((r) => r.indexes)).size, 1, JSON.stringify(rows));
  assert.ok(rows.every((r) => r.invalid === 0));
});
