import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyDatabase, emptyPostgres, onlyPostgres } from '../../../test/helpers/database.ts';
import { until } from '../../../test/helpers/engine.ts';
import { TcpProxy } from '../../../test/helpers/tcp-proxy.ts';
import { migrate } from './migrate.ts';
import { indexOf } from './migrate-online.ts';
import { isOnline, loadMigrations, type Migration, splitStatements } from './migration-files.ts';
import { openPostgres } from './open.ts';
import type { Db } from './types.ts';

const migration = (name: string, text: string, checksum = `sum of ${text}`): Migration => ({
  name,
  sql: text,
  checksum,
});
const ONE = migration('0001-one.sql', 'create table one (id int primary key);\ninsert into one values (1);');
const TWO = migration('0002-two.sql', 'insert into one values (2);');
const COLUMN = migration('0002-column.sql', 'alter table one add column more text;');

const idsOf = async (db: Db): Promise<number[]> =>
  (await sql<{ id: number }>`select id from one order by id`.execute(db)).rows.map((r) => r.id);

/** A way to a database that can be cut. */
async function cuttable(url: string): Promise<{ proxy: TcpProxy; through: string }> {
  const { hostname: host, port } = new URL(url);
  const proxy = new TcpProxy({ host, port: Number(port) });
  await proxy.listen();
  cleanup(() => proxy.close());
  return { proxy, through: Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href };
}

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

  test('takes every bound away that the database may have, and no longer than it takes', async () => {
    const { db } = await emptyDatabase();
    const bounds = sql.join(
      ['statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout'].map((name) =>
        sql.lit(name),
      ),
    );
    await sql`select set_config(name, '5000', false) from pg_settings where name in (${bounds})`.execute(db);
    const seen = migration(
      '0001-bounds.sql',
      "create table bounds as select name, setting from pg_settings where name like '%_timeout' or name = 'client_connection_check_interval';",
    );
    await migrate(db, [seen]);
    const { rows } = await sql<{ name: string }>`select name from bounds
      where name in (${bounds}) and setting <> '0' and name <> 'lock_timeout'`.execute(db);
    assert.deepEqual(rows, []);
    const after = await sql`select from pg_settings where name in (${bounds}) and setting <> '5000'`.execute(db);
    assert.deepEqual(after.rows, []);
  });

  test(
    'is ended by the server when who asked for it is gone, and holds no table for nobody',
    onlyPostgres,
    async () => {
      const url = await emptyPostgres();
      const slow = migration('0001-slow.sql', "create table one (id int);\nselect pg_sleep(600) /* 'a slow one' */;");
      const { proxy, through } = await cuttable(url);
      const [gone, watcher] = [await openPostgres(through, 1), await openPostgres(url, 1)];
      const asking = assert.rejects(migrate(gone.db, [slow]));
      const isAtWork = async (): Promise<boolean> =>
        (
          await sql`select from pg_stat_activity
          where datname = current_database() and query like '%a slow one%' and pid <> pg_backend_pid()`.execute(
            watcher.db,
          )
        ).rows.length > 0;
      await until('it is at work', isAtWork);
      proxy.cut();
      await asking;
      await until('the server has ended it', async () => !(await isAtWork()), 20_000, 100);
      await Promise.all([gone.close(), watcher.close()]);
    },
  );

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

  test('says what the role lacks, and that the database takes no writes', onlyPostgres, async () => {
    const role = `posthorn_migrates_${randomUUID().slice(0, 8)}`;
    const url = await emptyPostgres();
    const admin = await openPostgres(url, 2);
    await migrate(admin.db, [ONE]);
    await sql
      .raw(`create role ${role} login password 'x'; revoke create on schema public from public;
      grant all on schema_migrations to ${role}`)
      .execute(admin.db);
    const { href } = Object.assign(new URL(url), { username: role, password: 'x' });
    const refuses = async (message: RegExp): Promise<void> => {
      const database = await openPostgres(href, 1);
      await assert.rejects(migrate(database.db, [ONE, COLUMN]), { name: 'MigrationError', message });
      await database.close();
    };
    const rights =
      '^the role of DATABASE_URL may not make or change the tables: let it own the database and all of them';
    try {
      await refuses(new RegExp(`${rights} \\(permission denied for schema public\\); "posthorn doctor" has more$`));
      await sql.raw(`grant create on schema public to ${role}`).execute(admin.db);
      await refuses(new RegExp(`${rights} \\(.*0002-column.sql failed: must be owner of table one\\); "posthorn`));
      await sql.raw(`alter role ${role} set default_transaction_read_only = on`).execute(admin.db);
      await refuses(/^the database takes no writes: it is a standby, or read-only for the role of DATABASE_URL \(/);
    } finally {
      await sql.raw(`drop owned by ${role}; drop role ${role}`).execute(admin.db);
      await admin.close();
    }
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

/** A connection beside the pool, as `Database.connect` gives it. */
const direct = (url: string) => async (): Promise<Client> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
};

describe('while nodes serve', onlyPostgres, () => {
  const INDEX = migration('0002-index.sql', '-- online\ncreate index concurrently if not exists one_id on one (id);');
  const isValid = async (db: Db): Promise<boolean | undefined> =>
    (
      await sql<{ valid: boolean }>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass('one_id')`.execute(db)
    ).rows[0]?.valid;
  /** A database with the first migration, and a connection that has a transaction with a snapshot open. */
  async function served(t: TestContext): Promise<{ url: string; db: Db; other: Client; end: () => Promise<void> }> {
    const url = await emptyPostgres();
    const database = await openPostgres(url, 2);
    await migrate(database.db, [ONE]);
    const other = await direct(url)();
    await other.query('begin isolation level repeatable read; select from one');
    t.after(async () => {
      await other.end();
      await database.close();
    });
    return { url, db: database.db, other, end: async () => void (await other.query('commit')) };
  }

  test('a change that has to wait for a lock lets others through again and again, and is made in the end', async (t) => {
    const { db, end } = await served(t);
    const column = migration('0002-column.sql', 'create table two (id int);\nalter table one add column more text;');
    const migrating = migrate(db, [ONE, column]);
    await new Promise((done) => setTimeout(done, 300));
    const startedAt = performance.now();
    await sql`insert into one (id) values (2)`.execute(db);
    const waited = performance.now() - startedAt;
    assert.ok(waited < 2500, `${waited} ms`);
    await end();
    assert.deepEqual(await migrating, ['0002-column.sql']);
    assert.deepEqual((await sql`select more from one where id = 2`.execute(db)).rows, [{ more: null }]);
  });

  test('nodes that try in turn let others through as one does', async (t) => {
    const { url, db, end } = await served(t);
    const beside = await openPostgres(url, 2);
    const column = migration('0002-column.sql', 'alter table one add column more text;');
    const migrating = [migrate(db, [ONE, column]), migrate(beside.db, [ONE, column])];
    const writer = await direct(url)();
    const startedAt = performance.now();
    let held = 0;
    while (performance.now() - startedAt < 6000) {
      const asked = performance.now();
      await writer.query('update one set id = id');
      const took = performance.now() - asked;
      if (took > 100) held += took;
      await new Promise((done) => setTimeout(done, 20));
    }
    const share = held / (performance.now() - startedAt);
    assert.ok(share > 0.2 && share < 0.75, `held up for ${share.toFixed(2)} of the time`);
    await end();
    assert.deepEqual((await Promise.all(migrating)).flat(), ['0002-column.sql']);
    await writer.end();
    await beside.close();
  });

  test('an index is made while rows are written, and whoever starts meanwhile waits for it', async (t) => {
    const { url, db, end } = await served(t);
    const all = [ONE, INDEX, migration('0003-three.sql', 'insert into one values (3);')];
    const migrating = [migrate(db, all, { connect: direct(url) }), migrate(db, all, { connect: direct(url) })];
    while ((await isValid(db)) === undefined) await new Promise((done) => setTimeout(done, 20));
    await sql`set statement_timeout = 1000`.execute(db);
    await sql`insert into one (id) values (2)`.execute(db);
    assert.equal(await isValid(db), false, 'it waits for the transaction that was there before');
    await end();
    const applied = await Promise.all(migrating);
    assert.deepEqual(applied.flat().toSorted(), ['0002-index.sql', '0003-three.sql']);
    assert.equal(await isValid(db), true);
    assert.deepEqual(await idsOf(db), [1, 2, 3]);
  });

  test('one that a pool alone leads to leaves an index to whoever is at it', async (t) => {
    const { url, db, end } = await served(t);
    const making = migrate(db, [ONE, INDEX], { connect: direct(url) });
    while ((await isValid(db)) === undefined) await new Promise((done) => setTimeout(done, 20));
    const beside = await openPostgres(url, 2);
    const waiting = migrate(beside.db, [ONE, INDEX]);
    await new Promise((done) => setTimeout(done, 500));
    assert.equal(await isValid(db), false, 'it was not dropped to be made anew');
    await end();
    assert.deepEqual(await Promise.all([making, waiting]), [['0002-index.sql'], []]);
    assert.equal(await isValid(db), true);
    await beside.close();
  });

  test('an index whose start was ended is made to its end by the server, and found by the next start, which waits for it', async (t) => {
    const { url, db, end } = await served(t);
    const { proxy, through } = await cuttable(url);
    const ended = assert.rejects(migrate(db, [ONE, INDEX], { connect: direct(through) }));
    while ((await isValid(db)) === undefined) await new Promise((done) => setTimeout(done, 20));
    const oidOf = async () =>
      (await sql<{ oid: number }>`select to_regclass('one_id')::oid::int as oid`.execute(db)).rows;
    const made = await oidOf();
    proxy.cut();
    await ended;
    const next = migrate(db, [ONE, INDEX], { connect: direct(url) });
    // Longer than the server takes to notice that a client is gone, where it is told to look.
    await sql`select pg_sleep(3)`.execute(db);
    assert.equal(await isValid(db), false, 'it is still at it');
    await end();
    assert.deepEqual(await next, ['0002-index.sql']);
    assert.deepEqual([await isValid(db), await oidOf()], [true, made]);
  });

  test('an index that was cut off is made anew', async (t) => {
    const { url, db, end } = await served(t);
    const migrating = migrate(db, [ONE, INDEX], { connect: direct(url) });
    const failed = assert.rejects(migrating, /0002-index\.sql/);
    while ((await isValid(db)) === undefined) await new Promise((done) => setTimeout(done, 20));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'create index concurrently%' and datname = current_database()`.execute(db);
    await failed;
    await end();
    assert.equal(await isValid(db), false, 'half of it is there');
    assert.deepEqual(await migrate(db, [ONE, INDEX], { connect: direct(url) }), ['0002-index.sql']);
    assert.equal(await isValid(db), true);
  });

  test('a node of an earlier version that starts meanwhile waits for nothing, and stops no index', async (t) => {
    const { url, db, end } = await served(t);
    const migrating = migrate(db, [ONE, INDEX], { connect: direct(url) });
    while ((await isValid(db)) === undefined) await new Promise((done) => setTimeout(done, 20));
    const older = await direct(url)();
    await older.query('begin; select pg_advisory_xact_lock(4772019116); rollback');
    await older.end();
    await end();
    assert.deepEqual(await migrating, ['0002-index.sql']);
  });

  test('one that fails leaves no index behind, and says what was applied before', async (t) => {
    const { url, db, end } = await served(t);
    await end();
    const twice = migration(
      '0002-twice.sql',
      'alter table one add column kind int not null default 1;\ninsert into one values (2);',
    );
    const unique = migration(
      '0003-unique.sql',
      '-- online\ncreate unique index concurrently if not exists one_id on one (kind);',
    );
    await assert.rejects(migrate(db, [ONE, twice, unique], { connect: direct(url) }), {
      name: 'MigrationError',
      message:
        /0003-unique\.sql failed: could not create unique index.*\. Applied before it, and kept: 0002-twice\.sql\./,
    });
    assert.equal(await isValid(db), undefined);
  });

  test('a connection that leads elsewhere makes no index', async (t) => {
    const { db, end } = await served(t);
    await end();
    const elsewhere = await emptyPostgres();
    const refused = { name: 'MigrationError', message: /DATABASE_LISTEN_URL/ };
    await assert.rejects(migrate(db, [ONE, INDEX], { connect: direct(elsewhere) }), refused);
    assert.equal(await isValid(db), undefined);
  });

  test('an index that was cut off is made anew in the transaction as well', async (t) => {
    const { url, db, end } = await served(t);
    const making = await direct(url)();
    making.on('error', () => undefined);
    const made = making.query(splitStatements(INDEX.sql)[0] as string).catch(() => undefined);
    while ((await isValid(db)) === undefined) await new Promise((done) => setTimeout(done, 20));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'create index concurrently%' and datname = current_database()`.execute(db);
    await made;
    await end();
    assert.deepEqual(await migrate(db, [ONE, INDEX]), ['0002-index.sql']);
    assert.equal(await isValid(db), true);
  });

  test('a new database, and one that nothing but a pool leads to, gets its indexes in the transaction', async () => {
    const database = await openPostgres(await emptyPostgres(), 1);
    const never = () => assert.fail('no connection is needed');
    assert.deepEqual(await migrate(database.db, [ONE, INDEX], { connect: never }), ['0001-one.sql', '0002-index.sql']);
    assert.deepEqual(await migrate(database.db, [ONE, INDEX], { connect: never }), []);
    await database.close();
    const pooled = await openPostgres(await emptyPostgres(), 1);
    await migrate(pooled.db, [ONE]);
    assert.deepEqual(await migrate(pooled.db, [ONE, INDEX]), ['0002-index.sql']);
    assert.equal(await isValid(pooled.db), true);
    await pooled.close();
  });
});

describe('the migrations of this version', () => {
  test('after 0032 make no index on a table of an earlier file but online, and nothing else is online', async () => {
    const faults: string[] = [];
    for (const m of (await loadMigrations()).filter(({ name }) => name > '0033')) {
      const statements = splitStatements(m.sql);
      if (isOnline(m)) for (const statement of statements) assert.ok(indexOf(statement));
      const own = new Set(statements.flatMap((s) => /create table (\w+)/i.exec(s)?.[1] ?? []));
      const made = /\bindex\b[^;]*?\son\s+(?:only\s+)?(\w+)/gis;
      const held = isOnline(m) ? [] : statements.flatMap((s) => [...s.matchAll(made)]);
      for (const [text, table = ''] of held) if (!own.has(table)) faults.push(`${m.name}: ${text}`);
    }
    assert.deepEqual(faults, []);
  });

  test('after 0032 can be applied to a database in use', onlyPostgres, async () => {
    const url = await emptyPostgres();
    const database = await openPostgres(url, 2);
    const all = await loadMigrations();
    const later = all.filter(({ name }) => name > '0033');
    const earlier = all.filter((m) => !later.includes(m));
    await migrate(database.db, earlier);
    const names = later.map(({ name }) => name);
    assert.deepEqual(await migrate(database.db, all, { connect: direct(url) }), names);
    await database.close();
  });

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
