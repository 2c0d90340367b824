import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres } from '../../../../test/helpers/database.ts';
import { until } from '../../../../test/helpers/engine.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import { inTransaction, isRetryable } from '../../../platform/db/index.ts';
import { nameOf, storageFixture } from './fixtures.ts';
import { addPart, allowAgain } from './adding-store.ts';
import { type Part, partsOf } from './parts-store.ts';
import { partOf, WEEK_MS } from './weeks.ts';

const { db, THIS_WEEK, ENDPOINT, keeper, keep, write, placesOf, refusedOfRest } = await storageFixture();

test('a week with thousands of deliveries in the rest leaves them there: everybody would wait while they are moved', async () => {
  const week = THIS_WEEK + 200 * WEEK_MS;
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, created_at, updated_at)
    select (${leastUuidv7(week).slice(0, 14)} || '7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, ${ENDPOINT}, 'offer.created', ${ENDPOINT}, ${ENDPOINT},
      'DELIVERED', 1, 'many', now(), now() from generate_series(1, 2001) as i`.execute(db);
  assert.equal(await addPart(db, partOf(week), { isAhead: true }), 'too many');
  const one = keeper({ time: () => week, rest: async () => undefined });
  await keep(one);
  assert.equal(await keep(one), 0, 'and it is no reason to try again and again');
  const has = async (at: number): Promise<boolean> => (await partsOf(db)).some((p) => p.name === partOf(at).name);
  assert.deepEqual([await has(week), await has(week + WEEK_MS)], [false, true]);
  await sql`delete from webhook_deliveries where request_id = 'many' and id > (
    select id from webhook_deliveries where request_id = 'many' order by id offset 1999 limit 1)`.execute(db);
  assert.equal(await addPart(db, partOf(week)), 'added');
  const { rows } = await sql`select from ${sql.table(partOf(week).name)} where request_id = 'many'`.execute(db);
  assert.equal(rows.length, 2000);
  await sql`delete from webhook_deliveries where request_id = 'many'`.execute(db);
});

test('a place for a week to come leaves no mark on the rest, whoever was killed over it', async () => {
  const [killed, next] = [220, 221].map((n) => partOf(THIS_WEEK + n * WEEK_MS)) as [Part, Part];
  const constraints = async () =>
    (
      await sql<{ name: string }>`select conname as name from pg_constraint
        where conrelid = 'webhook_deliveries_rest'::regclass and contype = 'c' order by 1`.execute(db)
    ).rows;
  const before = await constraints();
  const refuse = (part: Part) =>
    sql`alter table webhook_deliveries_rest add constraint ${sql.ref(`without_${part.name}`)}
      check (not (id is not null and id >= ${sql.lit(part.from)} and id < ${sql.lit(part.to)})) not valid`.execute(db);
  await refuse(next);
  await refuse(killed);
  assert.equal(await addPart(db, next, { isAhead: true }), 'added');
  assert.equal((await constraints()).length, before.length + 1);
  // Nobody has added it since: it is let in again before its week comes, and rows with it.
  assert.deepEqual([...(await allowAgain(db, new Set()))], [killed.name], 'it may be under way');
  await allowAgain(db, new Set([killed.name]));
  assert.deepEqual(await constraints(), before);
  const id = await write({ at: THIS_WEEK + 220 * WEEK_MS, status: 'HELD' });
  assert.equal(await addPart(db, killed, { isAhead: true }), 'added');
  assert.deepEqual(await constraints(), before);
  assert.deepEqual(await placesOf([id]), [`${nameOf(THIS_WEEK + 220 * WEEK_MS)} HELD`]);
  await sql`delete from webhook_deliveries where id = ${id}`.execute(db);
});

test('a week that cannot be added keeps no other from it, and its rows may come all the same', async () => {
  const week = THIS_WEEK + 340 * WEEK_MS;
  const part = partOf(week + 2 * WEEK_MS);
  await sql`create table ${sql.table(part.name)} (id int)`.execute(db);
  await assert.rejects(keep(keeper({ time: () => week })), /already exists/);
  assert.deepEqual(await refusedOfRest(), []);
  const has = async (n: number): Promise<boolean> =>
    (await partsOf(db)).some((p) => p.name === partOf(week + n * WEEK_MS).name);
  assert.deepEqual([await has(1), await has(2), await has(3), await has(4)], [true, false, true, true]);
  await sql`drop table ${sql.table(part.name)}`.execute(db);
  await keep(keeper({ time: () => week }));
  assert.ok(await has(2));
});

test('what was on its way into the rest when its week got a part is written again', onlyPostgres, async () => {
  const week = THIS_WEEK + 360 * WEEK_MS;
  const { name, from, to } = partOf(week);
  let writing: Promise<unknown> = Promise.resolve();
  await inTransaction(db, async (trx) => {
    await sql`lock table webhook_deliveries_rest in access exclusive mode`.execute(trx);
    writing = write({ at: week, status: 'DELIVERED' }).catch((error: unknown) => error);
    await until('it waits for the lock', async () => {
      const { rows } =
        await sql`select from pg_locks where not granted and relation = 'webhook_deliveries_rest'::regclass`.execute(
          trx,
        );
      return rows.length > 0;
    });
    await sql`create table ${sql.table(name)} (like webhook_deliveries including defaults including constraints)`.execute(
      trx,
    );
    await sql`alter table webhook_deliveries attach partition ${sql.table(name)} for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(
      trx,
    );
  });
  assert.ok(isRetryable(await writing));
  assert.deepEqual(await placesOf([await write({ at: week, status: 'DELIVERED' })]), [`${nameOf(week)} DELIVERED`]);
});
