import assert from 'node:assert/strict';
import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres, testDb } from '../../../test/helpers/database.ts';
import { template } from '../../../test/helpers/embedded.ts';
import { until } from '../../../test/helpers/engine.ts';
import { isDatabaseAway } from './errors.ts';
import { LEAST_POSTGRES, openPglite, openPostgres } from './open.ts';
import { isReachable } from './reachable.ts';

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
    await assert.rejects(openPostgres(url, 2, { least: 99 }), /PostgreSQL 99 or newer is needed, not \d+/);
    await (await openPostgres(url, 2, { least: LEAST_POSTGRES })).close();
  });

  test('that cannot hold every text is refused, with what to do', onlyPostgres, async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const url = await emptyPostgres(`template0 encoding '${encoding}' locale 'C'`);
      await assert.rejects(openPostgres(url, 2), (error: Error) => {
        assert.match(
          error.message,
          new RegExp(
            `DATABASE_URL: its encoding is ${encoding}, .*: create database … encoding 'UTF8' locale 'C' template template0$`,
          ),
        );
        return true;
      });
    }
  });

  test('gives int8 as numbers, and a connection of its own', onlyPostgres, async () => {
    const database = await openPostgres(await emptyPostgres(), 2);
    const { db } = database;
    const { rows } = await sql<{ n: unknown; c: unknown }>`select 9007199254740991::int8 as n, count(*) as c`.execute(
      db,
    );
    assert.deepEqual(rows, [{ n: 9_007_199_254_740_991, c: 1 }]);
    const { rows: set } = await sql<{ jit: string; workers: string }>`
      select current_setting('jit') as jit, current_setting('max_parallel_workers_per_gather') as workers`.execute(db);
    assert.deepEqual(set, [{ jit: 'off', workers: '0' }]);
    assert.equal(await isReachable(db), true);
    const client = await database.connect?.();
    assert.equal((await client?.query('select 1'))?.rowCount, 1);
    await client?.end();
    await database.close();
    await assert.rejects(isReachable(db));
  });

  test('is away while no connection is to be had, whatever the reason', onlyPostgres, async () => {
    const url = await emptyPostgres();
    const name = new URL(url).pathname.slice(1);
    const admin = await openPostgres(await emptyPostgres(), 1);
    const database = await openPostgres(url, 2);
    const { db } = database;
    const allow = (allowed: boolean): Promise<unknown> =>
      sql`alter database ${sql.id(name)} allow_connections ${sql.lit(allowed)}`.execute(admin.db);
    await allow(false);
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`.execute(admin.db);
    const ask = (): Promise<unknown> => sql`select 1`.execute(db);
    // The first may still meet the connection that was ended.
    await assert.rejects(ask(), isDatabaseAway);
    await assert.rejects(ask(), (error: Error) => {
      assert.match(error.message, /not currently accepting connections/);
      return isDatabaseAway(error);
    });
    await allow(true);
    await ask();
    await database.close();
    await admin.close();
  });

  test('ends a statement that takes too long itself, and the connection stays', onlyPostgres, async () => {
    const database = await openPostgres(await emptyPostgres(), 1, { queryTimeoutMs: 600 });
    const { db } = database;
    const pid = async (): Promise<number | undefined> =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;
    const before = await pid();
    await assert.rejects(sql`select pg_sleep(20)`.execute(db), (error) => {
      assert.equal((error as { code?: string }).code, '57014');
      return isDatabaseAway(error);
    });
    assert.equal(await pid(), before);
    await database.close();
  });

  test(
    'a connection that is ended as soon as it is there fails what is asked on it, not the process',
    onlyPostgres,
    async () => {
      const message = (type: string, body: Buffer): Buffer => {
        const head = Buffer.alloc(5);
        head.write(type);
        head.writeInt32BE(body.length + 4, 1);
        return Buffer.concat([head, body]);
      };
      const ended = ['SFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''].join('\0');
      // All of it in one piece, as it comes to a process that is busy for a moment.
      const greeting = [
        message('R', Buffer.alloc(4)),
        message('Z', Buffer.from('I')),
        message('E', Buffer.from(`${ended}\0`)),
      ];
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(Buffer.concat(greeting)));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      cleanup(() => server.close());
      const { port } = server.address() as AddressInfo;
      const listenUrl = `postgres://postgres@127.0.0.1:${port}/x`;
      const database = await openPostgres(await emptyPostgres(), 2, { listenUrl });
      const client = await database.connect?.();
      await assert.rejects(async () => client?.query('select 1'), isDatabaseAway);
      await client?.end();
      await database.close();
    },
  );

  test('that was never asked anything keeps no connection when it is closed', onlyPostgres, async () => {
    const [url, watching] = [await emptyPostgres(), await openPostgres(await emptyPostgres(), 2)];
    const name = new URL(url).pathname.slice(1);
    const connections = async (): Promise<number> => {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from pg_stat_activity where datname = ${name}`.execute(watching.db);
      return rows[0]?.n ?? -1;
    };
    const database = await openPostgres(url, 2);
    assert.equal(await connections(), 1);
    await database.close();
    // The server notices a moment later that the other end is gone.
    await until('no connection is left', async () => (await connections()) === 0, 5000);
    await watching.close();
  });
});

describe('the embedded database', { skip: testDb !== 'pglite' && 'PostgreSQL run' }, () => {
  /** A ready-made one: to make it takes seconds, which every new folder of a service shows (src/app/demo/demo.test.ts). */
  let from: Blob;
  before(async () => {
    from = await openAsBlob(await template('empty'));
  });

  test('keeps its data in a folder that only this user may read, and lets it go when closed', async () => {
    const dir = join(await mkdtemp(join(tmpdir(), 'posthorn-open-')), 'data');
    cleanup(() => rm(join(dir, '..'), { recursive: true, force: true }));
    const first = await openPglite(dir, from);
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

  test('that cannot be used is named, and lets its folder go', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'posthorn-broken-'));
    cleanup(() => rm(dir, { recursive: true, force: true }));
    await mkdir(join(dir, 'pglite'));
    await writeFile(join(dir, 'pglite', 'PG_VERSION'), '18\n');
    const fault = { message: new RegExp(`^cannot use the embedded database in ${dir}: it ended by itself`) };
    await assert.rejects(openPglite(dir), fault);
    await assert.rejects(openPglite(dir), fault);
    const file = join(dir, 'pglite', 'PG_VERSION');
    await assert.rejects(openPglite(file), {
      message: `cannot use the embedded database in ${file}: EEXIST: file already exists, mkdir '${file}'`,
    });
  });

  test('keeps the process running no longer than it is open, whether it was used or not', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const few = timers();
    const used = await openPglite(undefined, from);
    await sql`create table kept (n int)`.execute(used.db);
    const dump = await used.dump?.();
    await used.close();
    assert.equal(timers(), few);
    const unused = await openPglite(undefined, dump);
    assert.ok(timers() > few, 'it has a timer of its own');
    await unused.close();
    assert.equal(timers(), few);
  });
});
