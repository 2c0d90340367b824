import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { readWithin } from './read-within.ts';
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
