import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { rowsOf } from '../../../test/helpers/ask.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres } from '../../../test/helpers/database.ts';
import { needsPooler, startPooler } from '../../../test/helpers/pooler.ts';
import { columns } from './columns.ts';
import { isDatabaseAway } from './errors.ts';
import { type Database, openPostgres } from './open.ts';
import { rowsWith } from './read-within.ts';
import { inTransaction } from './transaction.ts';
import type { Db } from './types.ts';

const opened = async (...args: Parameters<typeof openPostgres>): Promise<Database> => {
  const database = await openPostgres(...args);
  cleanup(() => database.close());
  return database;
};

/** What is prepared by name on the connections that these statements meet, some of them at once. */
async function preparedNames(db: Db): Promise<string[]> {
  const ask = async (n: number): Promise<string[]> => {
    const { rows } = await sql<{ name: string; n: number }>`/*named:of-test*/
      select ${n}::int as n, name from (values (0)) v left join pg_prepared_statements on true`.execute(db);
    assert.equal(rows[0]?.n, n);
    return rows.map(({ name }) => name);
  };
  const names: string[][] = [];
  for (let round = 0; round < 5; round++) {
    names.push(...(await Promise.all(Array.from({ length: 8 }, (_, i) => ask(round * 8 + i)))));
  }
  return [...new Set(names.flat())].filter((name) => name !== null);
}

/** Sets for a database what its connections begin with; gives a way to run SQL on it. */
async function withTimesOf(url: string, datestyle: string): Promise<(statement: string) => Promise<unknown>> {
  const run = (statement: string) => rowsOf(url, statement);
  await run(
    `do $$ begin execute format('alter database %I set datestyle = ''${datestyle}''', current_database()); end $$`,
  );
  return run;
}

const timeOf = async ({ db }: Database): Promise<Date | undefined> =>
  (await sql<{ at: Date }>`select timestamptz '2026-03-04 05:06:07Z' as at`.execute(db)).rows[0]?.at;

describe('PostgreSQL itself', onlyPostgres, () => {
  test('gives times that can be read, whatever form the database is set to', async () => {
    const url = await emptyPostgres();
    await withTimesOf(url, 'SQL, DMY');
    assert.deepEqual(await timeOf(await opened(url, 1)), new Date('2026-03-04T05:06:07Z'));
  });

  test('is found to be no pooler, prepares by name, and needs nothing set', async () => {
    const database = await opened(await emptyPostgres(), 4);
    assert.equal(database.pooler, undefined);
    assert.equal(database.isConnectSure, true);
    assert.deepEqual(await preparedNames(database.db), ['of-test']);
  });

  test('a value that cannot be sent costs no more than its own statement', async () => {
    const { db } = await opened(await emptyPostgres(), 1);
    const largest = async (numbers: readonly number[]): Promise<unknown> => {
      const { rows } = await sql<{ n: number }>`/*named:largest*/
        select max(n) as n from (select ${columns(numbers, { n: ['int8', (n) => n] })}) as r`.execute(db);
      return rows[0]?.n;
    };
    assert.equal(await largest([1, 3, 2]), 3);
    await assert.rejects(largest([1, Number.NaN]), /not a whole number/);
    assert.equal(await largest([5, 4]), 5);
    assert.deepEqual((await preparedNames(db)).toSorted(), ['largest', 'of-test']);
  });

  test('a statement with settings is prepared by its name too, and leaves nothing of them', async () => {
    const { db } = await opened(await emptyPostgres(), 1);
    for (let i = 0; i < 3; i++) {
      const statement = sql<{ n: number; scans: string }>`/*named:with-settings*/
        select ${i}::int as n, current_setting('enable_seqscan') as scans`;
      assert.deepEqual(await rowsWith(db, { within: 1000, byIndex: true }, statement), [{ n: i, scans: 'off' }]);
    }
    assert.ok((await preparedNames(db)).includes('with-settings'));
    const { rows } = await sql`
      select current_setting('enable_seqscan') as scans, current_setting('statement_timeout') as timeout`.execute(db);
    assert.equal((rows[0] as { scans: string }).scans, 'on');
    assert.notEqual((rows[0] as { timeout: string }).timeout, '1s');
  });

  test('is used like a pooler by who says so', async () => {
    const database = await opened(await emptyPostgres(), 4, { pooled: true });
    assert.equal(database.pooler?.unset.length, 3);
    assert.equal(database.connect, undefined);
    assert.deepEqual(await preparedNames(database.db), []);
  });
});

describe('a pooler in transaction mode', needsPooler, async () => {
  if (needsPooler.skip !== false) return;
  const pooler = await startPooler(3);
  const direct = await emptyPostgres();
  const url = pooler.through(direct);

  test('carries the bound of a statement, which ends with it', async () => {
    const { db } = await opened(url, 8);
    const slow = () => rowsWith(db, { within: 20 }, sql`select pg_sleep(60)`);
    assert.deepEqual(
      await Promise.all(Array.from({ length: 8 }, slow)),
      Array.from({ length: 8 }, () => null),
    );
    await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.1)`.execute(db)));
    assert.deepEqual(await rowsWith(db, { within: 1000 }, sql`select 1 as one`), [{ one: 1 }]);
  });

  test('is found out, and nothing is prepared by name', async () => {
    const database = await opened(url, 8);
    assert.ok(database.pooler);
    assert.equal(database.connect, undefined, 'nothing could be listened to');
    assert.deepEqual(await preparedNames(database.db), []);
    const { db } = database;
    const pid = sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`;
    const pids = await Promise.all(Array.from({ length: 24 }, async () => (await pid.execute(db)).rows[0]?.pid));
    assert.ok(new Set(pids).size <= 3, `eight connections share three, not ${new Set(pids).size}`);
  });

  test('is found out as well where it passes over the settings that it does not know', async () => {
    const tolerant = await startPooler(2, { ignore_startup_parameters: 'options, statement_timeout' });
    const database = await opened(tolerant.through(direct), 4);
    assert.ok(database.pooler);
    assert.deepEqual(await preparedNames(database.db), []);
  });

  test('is refused by its own words where it was declared to be none', async () => {
    await assert.rejects(
      openPostgres(url, 2, { pooled: false }),
      /^Error: cannot use the database of DATABASE_URL: unsupported startup parameter/,
    );
  });

  test('says which role logs in, where that acts as another one', async () => {
    const admin = new Client({ connectionString: direct });
    await admin.connect();
    const { rows } = await admin.query<{ role: string }>(
      `select format('alter role %I in database %I', session_user, current_database()) as role`,
    );
    const role = rows[0]?.role ?? '';
    const ofEachConnection = async (change: string): Promise<void> => {
      await admin.query(`${role} ${change}`);
      await pooler.command('RECONNECT');
    };
    await ofEachConnection('set role pg_read_all_data');
    const { unset } = (await opened(url, 2)).pooler as { unset: readonly string[] };
    await ofEachConnection('reset role');
    await admin.end();
    assert.equal(unset[0], `${role} set jit = off`);
  });

  test('says what the role has to have set, and nothing once it has', async () => {
    const { unset } = (await opened(url, 2)).pooler as { unset: readonly string[] };
    const role = /^alter role \S+ in database \S+ set /;
    assert.deepEqual(
      unset.map((statement) => statement.replace(role, '')),
      ['jit = off', 'max_parallel_workers_per_gather = 0', "statement_timeout = '29s'"],
    );
    const admin = new Client({ connectionString: direct });
    await admin.connect();
    for (const statement of unset) await admin.query(statement);
    await admin.end();
    // Connections take it up when they begin.
    await pooler.command('RECONNECT');
    const database = await opened(url, 2);
    assert.deepEqual(database.pooler?.unset, []);
  });

  test('before times of another form is refused, with what makes them readable', async () => {
    const other = await emptyPostgres();
    const run = await withTimesOf(other, 'SQL, DMY');
    const through = pooler.through(other);
    const { message } = await openPostgres(through, 2).then(
      () => assert.fail('it was taken'),
      (error: Error) => error,
    );
    const [, told, statement = ''] =
      /\((.*)\); run this SQL once: (alter role \S+ in database \S+ set datestyle = ISO)$/.exec(message) ?? [];
    assert.equal(told, 'DateStyle is SQL, DMY', message);
    await run(statement);
    await pooler.command('RECONNECT');
    assert.deepEqual(await timeOf(await opened(through, 2)), new Date('2026-03-04T05:06:07Z'));
  });

  test('that goes away makes statements fail as a database does that is away, and is used again', async () => {
    const { db } = await opened(url, 4);
    const failed = async (): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        await sql`select 1`.execute(trx);
        await pooler.kill();
        await sql`select 1`.execute(trx);
      }).then(() => false, isDatabaseAway);
    assert.equal(await failed(), true);
    await assert.rejects(sql`select 1`.execute(db), isDatabaseAway);
    await pooler.start();
    assert.equal((await sql`select 1`.execute(db)).rows.length, 1);
  });
});

test('a pipe that broke is a database that is away, though its code has the form of an SQLSTATE', () => {
  const broken = [{ code: 'EPIPE', syscall: 'write' }, { code: 'EPIPE' }, { code: '42P01' }];
  assert.deepEqual(broken.map(isDatabaseAway), [true, false, false]);
});
