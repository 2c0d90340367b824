import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase, emptyPostgres, onlyPostgres } from '../../../test/helpers/database.ts';
import { loadMigrations, type Migration, migrate, splitStatements } from './migrate.ts';
import { openPostgres } from './open.ts';
import type { Db } from './types.ts';

const migration = (name: string, text: string, checksum = `sum of ${text}`): Migration => ({
  name,
  sql: text,
  checksum,
});
const ONE = migration('0001-one.sql', 'create table one (id int primary key);\ninsert into one values (1);');
const TWO = migration('0002-two.sql', 'insert into one values (2);');

const idsOf = async (db: Db): Promise<number[]> =>
  (await sql<{ id: number }>`select id from one order by id`.execute(db)).rows.map((r) => r.id);

describe('migrate', () => {
  test('applies what is new, in order, each once', async () => {
    const { db } = await emptyDatabase();
    assert.deepEqual(await migrate(db, [ONE]), ['0001-one.sql']);
    assert.deepEqual(await migrate(db, [ONE, TWO]), ['0002-two.sql']);
    assert.deepEqual(await migrate(db, [ONE, TWO]), []);
    assert.deepEqual(await idsOf(db), [1, 2]);
  });

  test('takes longer than any other statement may', onlyPostgres, async () => {
    const database = await openPostgres(await emptyPostgres(), 1, { queryTimeoutMs: 400 });
    const { db } = database;
    const slow = migration('0001-slow.sql', '-- Takes its time.\nselect pg_sleep(1);\ncreate table one (id int);');
    assert.deepEqual(await migrate(db, [slow]), ['0001-slow.sql']);
    await assert.rejects(sql`select pg_sleep(1)`.execute(db), { code: '57014' });
    await database.close();
  });

  test('refuses a database that is newer than the code, and changes nothing', async () => {
    const { db } = await emptyDatabase();
    await migrate(db, [ONE, TWO]);
    await assert.rejects(migrate(db, [ONE]), {
      name: 'MigrationError',
      message: /newer than this version.*0002-two\.sql/,
    });
  });

  test('refuses a file that was edited after it was applied', async () => {
    const { db } = await emptyDatabase();
    await migrate(db, [ONE]);
    const edited = migration(ONE.name, `${ONE.sql} -- better`);
    await assert.rejects(migrate(db, [edited, TWO]), { name: 'MigrationError', message: /0001-one\.sql was edited/ });
    assert.deepEqual(await idsOf(db), [1]);
  });

  test('leaves nothing behind when a statement fails', async () => {
    const { db } = await emptyDatabase();
    const broken = migration('0002-broken.sql', 'insert into one values (2);\ninsert into nothing values (1);');
    await assert.rejects(migrate(db, [ONE, broken]));
    assert.deepEqual(await migrate(db, [ONE]), ['0001-one.sql']);
    assert.deepEqual(await idsOf(db), [1]);
  });

  test('of nodes that start together is done by one', onlyPostgres, async () => {
    const url = await emptyPostgres();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgres(url, 2)));
    try {
      const applied = await Promise.all(nodes.map(({ db }) => migrate(db, [ONE, TWO])));
      assert.deepEqual(
        applied.toSorted((a, b) => b.length - a.length),
        [['0001-one.sql', '0002-two.sql'], [], [], []],
      );
      assert.deepEqual(await idsOf((nodes[0] as (typeof nodes)[0]).db), [1, 2]);
    } finally {
      await Promise.all(nodes.map((n) => n.close()));
    }
  });
});

describe('the migrations of this version', () => {
  test('are numbered from 0001 without a gap, and have a checksum of their text', async () => {
    const all = await loadMigrations();
    assert.deepEqual(
      all.map((m) => m.name.slice(0, 4)),
      all.map((_, i) => String(i + 1).padStart(4, '0')),
    );
    for (const m of all) assert.match(m.checksum, /^[0-9a-f]{64}$/);
  });

  test('apply to an empty database, and a second start applies none', async () => {
    const { db } = await emptyDatabase();
    const all = await loadMigrations();
    assert.deepEqual(
      await migrate(db, all),
      all.map((m) => m.name),
    );
    assert.deepEqual(await migrate(db, all), []);
  });
});

describe('splitStatements', () => {
  const split = (text: string): string[] => splitStatements(text).map((s) => s.replaceAll(/\s+/g, ' ').trim());

  test('ends a statement at a semicolon that ends a line', () => {
    assert.deepEqual(split('select 1;\n\nselect\n  2;\nselect 3; -- three\n'), [
      'select 1;',
      'select 2;',
      'select 3; -- three',
    ]);
  });
  test('keeps a statement whose last semicolon is missing', () => {
    assert.deepEqual(split('select 1;\nselect 2'), ['select 1;', 'select 2']);
  });
  test('leaves out comments and empty lines between statements', () => {
    assert.deepEqual(split('-- first;\nselect 1;\n  -- second;\n\n'), ['select 1;']);
  });
  test('does not end in a semicolon within a line', () => {
    assert.deepEqual(split("insert into t values ('a;b');"), ["insert into t values ('a;b');"]);
  });
  test('keeps a body between $$ whole, with its comments', () => {
    const text =
      'create function f() returns int language plpgsql as $$\nbegin\n  -- one;\n  return 1;\nend\n$$;\nselect 2;';
    assert.deepEqual(split(text), [
      'create function f() returns int language plpgsql as $$ begin -- one; return 1; end $$;',
      'select 2;',
    ]);
  });
  test('a $$ that opens and closes on one line opens nothing', () => {
    assert.equal(split('do $$ begin perform 1; end $$;\nselect 2;').length, 2);
  });
  test('of nothing is nothing', () => {
    assert.deepEqual(split('\n-- only words\n'), []);
  });
});
