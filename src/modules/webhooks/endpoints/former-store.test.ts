import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { addressesOf, selectAddresses } from './former-store.ts';

const { db } = await withDatabase();
const ACCOUNT = '00000001-0000-7000-8000-000000000000';
/** One that is changed every minute, and one that never was. */
const [RESTLESS, STEADY] = ['0000000a-0000-7000-8000-000000000000', '0000000b-0000-7000-8000-000000000000'] as const;
const CHANGES = 20_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const at = (minutes: number): number => START + minutes * 60_000;

before(async () => {
  await sql`insert into accounts (id, name, type, created_at) values (${ACCOUNT}, 'Shop', 'MERCHANT', now())`.execute(
    db,
  );
  await sql`insert into webhook_endpoints (id, account_id, kind, url, status, after_position, version, created_at, updated_at)
    select id, ${ACCOUNT}, 'MERCHANT', 'https://a.example/now', 'ACTIVE', 0, 1, now(), now()
    from unnest(${[RESTLESS, STEADY]}::uuid[]) as e (id)`.execute(db);
  await sql`insert into webhook_endpoint_former (endpoint_id, until, url)
    select ${RESTLESS}, ${new Date(START)}::timestamptz + i * interval '1 minute', 'https://a.example/' || i
    from generate_series(1, ${CHANGES}::int) as i`.execute(db);
  await sql`analyze webhook_endpoint_former`.execute(db);
});

test('where an endpoint sent is told of each time, in the order of asking', async () => {
  const asked = [at(2.5), at(CHANGES + 60), at(0.5), at(3.5)];
  assert.deepEqual(await selectAddresses(db, RESTLESS, asked), [
    { url: 'https://a.example/3', isPresent: false },
    { url: 'https://a.example/now', isPresent: true },
    { url: 'https://a.example/1', isPresent: false },
    { url: 'https://a.example/4', isPresent: false },
  ]);
  assert.deepEqual(await selectAddresses(db, STEADY, asked.slice(0, 1)), [
    { url: 'https://a.example/now', isPresent: true },
  ]);
  assert.deepEqual(await selectAddresses(db, STEADY, []), []);
});

test('of an endpoint that was changed ever so often one change is read for each time', async () => {
  const plan = await planOf(
    db,
    addressesOf(
      RESTLESS,
      [1, 2, 3, 4, 5].map((n) => at(n * 1000)),
    ),
  );
  assert.ok(indexesOf(plan).includes('webhook_endpoint_former_pkey'), String(indexesOf(plan)));
  assert.ok(mostRead(plan) <= 5, `${mostRead(plan)} rows were read`);
});

test('just after a change the address is known where it stayed the same, and the headers are not', async () => {
  const changed = (url: string | null, until: number) =>
    sql`insert into webhook_endpoint_former (endpoint_id, until, url) values (${STEADY}, ${new Date(until)}, ${url})`.execute(
      db,
    );
  await changed('https://a.example/old', at(10));
  await changed('https://a.example/now', at(20));
  const just = [9_999, 10_000];
  assert.deepEqual(
    await selectAddresses(
      db,
      STEADY,
      [-1, 0, ...just].map((ms) => at(10) + ms),
    ),
    [
      { url: 'https://a.example/old', isPresent: false },
      { url: null, isPresent: false },
      { url: null, isPresent: false },
      { url: 'https://a.example/now', isPresent: false },
    ],
  );
  assert.deepEqual(
    await selectAddresses(
      db,
      STEADY,
      just.map((ms) => at(20) + ms),
    ),
    [
      { url: 'https://a.example/now', isPresent: false },
      { url: 'https://a.example/now', isPresent: true },
    ],
  );
});
