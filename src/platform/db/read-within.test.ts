import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { inTransaction } from './transaction.ts';
import { readWithin, rowsWithin } from './read-within.ts';
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
      assert.deepEqual(await rowsWithin(on, 1000, sql`select ${1}::integer as one`), [{ one: 1 }]);
      await assert.rejects(rowsWithin(on, 1000, sql`select 1 / ${0}::integer`), /division by zero/);
      assert.deepEqual(await rowsWithin(on, 1000, sql`select 1 as one`), [{ one: 1 }]);
    });
  }
});

test('the rows of a statement that takes longer are null; the next ones are not bounded', onlyPostgres, async () => {
  const slow = sql`select pg_sleep(60)`;
  // On every connection that the pool may have.
  const all = <T>(read: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, read));
  assert.deepEqual(new Set(await all(() => rowsWithin(db, 20, slow))), new Set([null]));
  await all(() => sql`select pg_sleep(0.1)`.execute(db));
  await inTransaction(db, async (trx) => {
    assert.equal(await rowsWithin(trx, 20, slow), null);
    await sql`select pg_sleep(0.1)`.execute(trx);
  });
  const end = await rowsWithin(db, 1000, sql`select pg_terminate_backend(pg_backend_pid())`).catch((error) => error);
  assert.equal((end as { code?: unknown }).code, '57P01');
});
