import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { withSettings } from './statement-settings.ts';
import { inTransaction } from './transaction.ts';
import { readMuch } from './read-much.ts';
import { readWithin, rowsWith } from './read-within.ts';
import type { Db } from './types.ts';

const { db } = await withDatabase();

test('gives what was read, and passes errors on', async () => {
  const read = await readWithin(db, 1000, async (on) => (await sql`select 1 as one`.execute(on)).rows);
  assert.deepEqual(read, [{ one: 1 }]);
  await assert.rejects(readWithin(db, 1000, async (on) => sql`select 1 / 0`.execute(on)));
});

test('passes on why a connection has ended, also within a transaction', onlyPostgres, async () => {
  const end = (on: Db) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(on);
  let told: unknown;
  const transaction = db.transaction().execute(async (trx) => {
    await readWithin(trx, 1000, end).catch((error: unknown) => (told = error));
  });
  await assert.rejects(transaction);
  assert.equal((told as { code?: unknown }).code, '57P01');
});

test('gives null for a statement that takes longer; the next ones are not bounded', onlyPostgres, async () => {
  assert.equal(await readWithin(db, 20, async (on) => sql`select pg_sleep(60)`.execute(on)), null);
  await sql`select pg_sleep(0.1)`.execute(db);
});

test('the rows of a statement are given, errors passed on, and nothing is left behind', async () => {
  for (const run of [
    <T>(fn: (on: Db) => Promise<T>) => fn(db),
    <T>(fn: (on: Db) => Promise<T>) => inTransaction(db, fn),
  ]) {
    await run(async (on) => {
      assert.deepEqual(await rowsWith(on, { within: 1000 }, sql`select ${1}::integer as one`), [{ one: 1 }]);
      await assert.rejects(rowsWith(on, { within: 1000 }, sql`select 1 / ${0}::integer`), /division by zero/);
      assert.deepEqual(await rowsWith(on, { within: 1000 }, sql`select 1 as one`), [{ one: 1 }]);
    });
  }
});

test('the rows of a statement that takes longer are null; the next ones are not bounded', onlyPostgres, async () => {
  const slow = sql`select pg_sleep(60)`;
  // On every connection that the pool may have.
  const all = <T>(read: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, read));
  assert.deepEqual(new Set(await all(() => rowsWith(db, { within: 20 }, slow))), new Set([null]));
  await all(() => sql`select pg_sleep(0.1)`.execute(db));
  await inTransaction(db, async (trx) => {
    assert.equal(await rowsWith(trx, { within: 20 }, slow), null);
    await sql`select pg_sleep(0.1)`.execute(trx);
  });
  const end = await rowsWith(db, { within: 1000 }, sql`select pg_terminate_backend(pg_backend_pid())`).catch(
    (error) => error,
  );
  assert.equal((end as { code?: unknown }).code, '57P01');
});

test('a small table is not read as a whole where an index answers, if that is asked for; the next statements may', async () => {
  await sql`create table few (n integer primary key)`.execute(db);
  await sql`insert into few select generate_series(1, 3)`.execute(db);
  await sql`analyze few`.execute(db);
  const explained = sql<{ 'QUERY PLAN': string }>`explain select n from few where n = ${2}::integer`;
  const nodes = (rows: { 'QUERY PLAN': string }[] | null) => rows?.[0]?.['QUERY PLAN'].replace(/ +\(.*/, '');
  for (const run of [
    <T>(fn: (on: Db) => Promise<T>) => fn(db),
    <T>(fn: (on: Db) => Promise<T>) => inTransaction(db, fn),
  ]) {
    await run(async (on) => {
      for (const within of [null, 1000])
        assert.match(
          String(nodes(await rowsWith(on, { within, byIndex: true }, explained))),
          /^Index Only Scan using few_pkey/,
        );
      assert.equal(nodes(await rowsWith(on, {}, explained)), 'Seq Scan on few');
    });
  }
  await assert.rejects(rowsWith(db, { byIndex: true }, sql`select 1 / ${0}::integer`), /division by zero/);
  assert.equal(nodes(await rowsWith(db, {}, explained)), 'Seq Scan on few');
});

test('only who gives a bound is told null; a statement that something else ends fails', onlyPostgres, async () => {
  const slow = sql`select pg_sleep(60)`;
  const bounded = inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = 20`.execute(trx);
    return rowsWith(trx, { byIndex: true }, slow);
  });
  await assert.rejects(bounded, /statement timeout/);
});

test('settings that would not be taken for such are refused, instead of running without them', () => {
  for (const settings of [{ statement_timeout: -5 }, { statement_timeout: 1e21 }, { 'a; b': 'off' }, {}])
    assert.throws(() => withSettings(settings, sql`select 1`), TypeError);
  assert.doesNotThrow(() => withSettings({ statement_timeout: 20, enable_seqscan: 'off' }, sql`select 1`));
});

test(
  'what goes over many rows may have other processes of the server, and short statements may not',
  onlyPostgres,
  async () => {
    const workers = async (on: Db): Promise<unknown> =>
      (await sql`select current_setting('max_parallel_workers_per_gather')::int as n`.execute(on)).rows;
    assert.deepEqual(await readMuch((read) => read(db), workers), [{ n: 2 }]);
    assert.deepEqual(await workers(db), [{ n: 0 }]);
  },
);
