import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { rowsOf } from '../../../test/helpers/ask.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres } from '../../../test/helpers/database.ts';
import { until } from '../../../test/helpers/engine.ts';
import { isDatabaseAway } from './errors.ts';
import { FittingPool } from './fitting-pool.ts';
import { type Database, openPostgres, type PostgresOptions } from './open.ts';

/** A database for a role that may have so many connections; gives a way to run SQL as somebody else. */
async function limited(most: number): Promise<{ url: string; run: (statement: string) => Promise<unknown> }> {
  const admin = await emptyPostgres();
  const role = `posthorn_limited_${randomUUID().slice(0, 8)}`;
  const run = (statement: string) => rowsOf(admin, statement.replaceAll('ROLE', role));
  await run(`create role ROLE login password 'x' connection limit ${most}`);
  cleanup(async () => {
    await run(`drop role ROLE`);
  });
  const url = new URL(admin);
  url.username = role;
  url.password = 'x';
  return { url: url.href, run };
}

async function opened(url: string, size: number, options: PostgresOptions): Promise<Database> {
  const database = await openPostgres(url, size, options);
  cleanup(() => database.close());
  return database;
}

/** What this many get that ask at once, each of which holds its connection for a moment. */
async function atOnce({ db }: Database, count: number): Promise<number> {
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.02)`;
  const pids = await Promise.all(Array.from({ length: count }, async () => (await pid.execute(db)).rows[0]?.pid));
  return new Set(pids).size;
}

/** How many connections are in use in the end, by asking for many again and again, each time half a minute later; never more than `most`. */
async function inTheEnd(database: Database, most: number, pass: () => void): Promise<number> {
  let found = 0;
  for (let round = 0; round < 15 && found < most; round++) {
    pass();
    found = await atOnce(database, 20);
  }
  pass();
  return atOnce(database, 20);
}

describe('a role that may have fewer connections than the pool', onlyPostgres, () => {
  test('is served by those that it has, which is told once', async () => {
    const { url } = await limited(3);
    const told: string[] = [];
    let now = 0;
    const tellFull = (reason: string, open: number): void => void told.push(`${open}: ${reason}`);
    const database = await opened(url, 10, { tellFull, now: () => now });
    const pass = (): void => void (now += 30_000);
    for (let round = 0; round < 3; round++) assert.equal(await inTheEnd(database, 3, pass), 3);
    assert.equal(told.length, 1, told.join());
    assert.match(told[0] ?? '', /^[123]: too many connections for role "posthorn_limited_/);
  });

  test('gets more when it may', async () => {
    const { url, run } = await limited(2);
    let now = 0;
    const database = await opened(url, 10, { now: () => now });
    const pass = (): void => void (now += 30_000);
    assert.equal(await inTheEnd(database, 2, pass), 2);
    await run('alter role ROLE connection limit 5');
    assert.equal(await inTheEnd(database, 5, pass), 5);
    await run('alter role ROLE connection limit -1');
    assert.equal(await inTheEnd(database, 10, pass), 10);
  });

  test('has as many again as it had, after they were closed', async () => {
    const { url, run } = await limited(3);
    let now = 0;
    const database = await opened(url, 10, { now: () => now });
    const pass = (): void => void (now += 30_000);
    assert.equal(await inTheEnd(database, 3, pass), 3);
    await run(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = 'ROLE'`);
    // Some may still find a connection that the server has ended.
    await until('one is open', () =>
      sql`select 1`.execute(database.db).then(
        () => true,
        () => false,
      ),
    );
    pass();
    assert.equal(await atOnce(database, 20), 3);
  });

  test('asks for one more a second after a refusal, and twice as late after each one more', async () => {
    // Of two, one less is given than there may be.
    for (const size of [10, 2]) {
      const { url, run } = await limited(1);
      let now = 0;
      const database = await opened(url, size, { now: () => now });
      assert.equal(await atOnce(database, 5), 1);
      for (const wait of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
        await run('alter role ROLE connection limit -1');
        now += wait - 1;
        assert.equal(await atOnce(database, 5), 1, `sooner than ${wait} ms, of ${size}`);
        await run('alter role ROLE connection limit 1');
        now += 1;
        assert.equal(await atOnce(database, 5), 1, 'refused');
      }
      await run('alter role ROLE connection limit -1');
      now += 30_000;
      assert.equal(await atOnce(database, 5), 2);
    }
  });

  test('is served where all ask at once and none is open yet', async () => {
    const { url, run } = await limited(1);
    for (let round = 0; round < 8; round++) {
      const left = async () => (await run(`select pid from pg_stat_activity where usename = 'ROLE'`)) as unknown[];
      // Those of the round before end by themselves: one that was ended from outside would tell of it.
      await until('none is left', async () => (await left()).length === 0);
      const pool = new FittingPool({
        config: { connectionString: url, max: 10, connectionTimeoutMillis: 10_000 },
        Client,
      });
      const ask = async (): Promise<void> => (await pool.connect()).release();
      await Promise.all(Array.from({ length: 20 }, ask));
      await pool.end();
    }
  });

  test('lets go of one for the connection that listens', async () => {
    const { url } = await limited(3);
    let now = 0;
    const database = await opened(url, 10, { now: () => now });
    assert.equal(await inTheEnd(database, 3, () => void (now += 30_000)), 3);
    const connect = database.connect as () => Promise<Client>;
    await assert.rejects(connect, /too many connections for role/);
    let listening: Client | undefined;
    const isThere = async (): Promise<boolean> => (listening = await connect().catch(() => undefined)) !== undefined;
    // Sooner than connections that rest are closed (20 s).
    await until('there is room', isThere, 10_000);
    assert.equal(await atOnce(database, 20), 2);
    now += 29_999;
    assert.equal(await atOnce(database, 20), 2);
    await listening?.end();
    now += 1;
    assert.equal(await inTheEnd(database, 3, () => void (now += 30_000)), 3);
  });

  test('waits for one no longer than where the pool itself is in use', async () => {
    const { url } = await limited(1);
    const { db } = await opened(url, 10, { connectTimeoutMs: 1000 });
    const refused: unknown[] = [];
    await db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx);
      await sql`select 1`.execute(db).catch((error: unknown) => refused.push(error));
    });
    assert.deepEqual(refused.map(String), ['Error: timeout exceeded when trying to connect']);
    assert.ok(isDatabaseAway(refused[0]));
    assert.equal((await sql`select 1`.execute(db)).rows.length, 1);
  });

  test('nor where the server refuses late', async () => {
    const { url } = await limited(1);
    let count = 0;
    class RefusedLate extends Client {
      // oxlint-disable-next-line typescript/no-explicit-any -- as the pool calls it
      override connect(callback?: any): any {
        if (++count === 1) return super.connect(callback);
        setTimeout(() => callback(Object.assign(new Error('too many connections'), { code: '53300' })), 200);
      }
    }
    const config = { connectionString: url, max: 10, connectionTimeoutMillis: 400 };
    const pool = new FittingPool({ config, Client: RefusedLate });
    const held = await pool.connect();
    const told: string[] = [];
    const over = new Promise<void>((done) => setTimeout(() => (told.push('half as long again'), done()), 550));
    await pool.connect().catch((error: Error) => told.push(error.message));
    await over;
    assert.deepEqual(told, ['timeout exceeded when trying to connect', 'half as long again']);
    assert.equal(count, 2);
    held.release();
    // Who gave up keeps none.
    (await pool.connect()).release();
    await until('none waits', () => pool.waitingCount === 0 && pool.idleCount === 1);
    await pool.end();
  });

  test('that may have none is told so at once', async () => {
    const { url, run } = await limited(1);
    const database = await opened(url, 10, {});
    await run('alter role ROLE connection limit 0');
    await run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ROLE'`);
    await assert.rejects(async () => {
      // The first may still find the connection that the server has ended.
      for (let i = 0; i < 2; i++)
        await sql`select 1`.execute(database.db).catch((error: Error) => {
          if (/too many/.test(error.message)) throw error;
        });
    }, /too many connections for role/);
    await run('alter role ROLE connection limit 4');
    assert.equal(await atOnce(database, 1), 1);
  });
});
