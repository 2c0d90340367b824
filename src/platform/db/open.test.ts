import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres, testDb } from '../../../test/helpers/database.ts';
import { isReachable, LEAST_POSTGRES, openPglite, openPostgres } from './open.ts';

describe('PostgreSQL', () => {
  test('that does not answer is told in words, without the password', async () => {
    const opening = openPostgres('postgres://me:hunter2@127.0.0.1:1/x', 2);
    await assert.rejects(opening, (error: Error) => {
      assert.match(error.message, /^cannot use the database of DATABASE_URL: /);
      return !error.message.includes('hunter2');
    });
  });

  test('that is older than the least version is refused', onlyPostgres, async () => {
    const url = await emptyPostgres();
    await assert.rejects(openPostgres(url, 2, 99), /PostgreSQL 99 or newer is needed, not \d+/);
    await (await openPostgres(url, 2, LEAST_POSTGRES)).close();
  });

  test('gives int8 as numbers, and a connection of its own', onlyPostgres, async () => {
    const database = await openPostgres(await emptyPostgres(), 2);
    const { db } = database;
    const { rows } = await sql<{ n: unknown; c: unknown }>`select 9007199254740991::int8 as n, count(*) as c`.execute(
      db,
    );
    assert.deepEqual(rows, [{ n: 9_007_199_254_740_991, c: 1 }]);
    assert.equal(await isReachable(db), true);
    const client = await database.connect?.();
    assert.equal((await client?.query('select 1'))?.rowCount, 1);
    await client?.end();
    await database.close();
    await assert.rejects(isReachable(db));
  });
});

describe('the embedded database', { skip: testDb !== 'pglite' && 'PostgreSQL run' }, () => {
  test('keeps its data in a folder that only this user may read, and lets it go when closed', async () => {
    const dir = join(await mkdtemp(join(tmpdir(), 'posthorn-open-')), 'data');
    cleanup(() => rm(join(dir, '..'), { recursive: true, force: true }));
    const first = await openPglite(dir);
    assert.equal((await stat(dir)).mode & 0o077, 0);
    await sql`create table kept (n int)`.execute(first.db);
    await sql`insert into kept values (7)`.execute(first.db);
    await assert.rejects(openPglite(dir), { name: 'DataDirInUseError' });
    await first.close();
    const second = await openPglite(dir);
    assert.deepEqual((await sql<{ n: number }>`select n from kept`.execute(second.db)).rows, [{ n: 7 }]);
    await second.close();
    assert.deepEqual(await readdir(dir), ['pglite']);
  });
});
