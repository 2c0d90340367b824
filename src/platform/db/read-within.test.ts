import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { readWithin } from './read-within.ts';

const { db } = await withDatabase();

test('gives what was read, and passes errors on', async () => {
  const read = await readWithin(db, 1000, async (on) => (await sql`select 1 as one`.execute(on)).rows);
  assert.deepEqual(read, [{ one: 1 }]);
  await assert.rejects(readWithin(db, 1000, async (on) => sql`select 1 / 0`.execute(on)));
});

test('gives null for a statement that takes longer; the next ones are not bounded', onlyPostgres, async () => {
  assert.equal(await readWithin(db, 20, async (on) => sql`select pg_sleep(60)`.execute(on)), null);
  await sql`select pg_sleep(0.1)`.execute(db);
});
