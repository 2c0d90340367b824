import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { cleanup } from '../../../../test/helpers/cleanup.ts';
import { until } from '../../../../test/helpers/engine.ts';
import {
  hasAll,
  inDatabase,
  needsReplica,
  newDatabase,
  primary,
  run,
  startReplica,
} from '../../../../test/helpers/replica.ts';
import { needsPooler, startPooler } from '../../../../test/helpers/pooler.ts';
import { startProxy } from '../../../../test/helpers/tcp-proxy.ts';
import { AppError } from '../../../contracts/errors.ts';
import { monotonicNow } from '../../../lib/clock.ts';
import { createLog, type Log } from '../../log/log.ts';
import { openPostgres } from '../open.ts';
import { readWithin, rowsWith } from '../read-within.ts';
import type { Db } from '../types.ts';
import { lookAtReplica } from './look-at-replica.ts';
import { positionOf, readIdentity } from './position.ts';
import { Replica } from './replica.ts';

const NAME = 'reads';
const WAIT_MS = 500;

interface Opened {
  replica: Replica;
  db: Db;
}

/** A replica as a node has it, found to be there if it can be. */
async function opened(url: string, options: { of?: string; waitMs?: number; log?: Log } = {}): Promise<Opened> {
  const { of = inDatabase(primary, NAME), waitMs = WAIT_MS, log = createLog('silent') } = options;
  const database = await openPostgres(of, 4);
  const { db } = database;
  const at = { url, size: 4, pooled: undefined };
  const identity = await readIdentity(db);
  const replica = new Replica({ primary: db, identity, at, waitMs, log });
  cleanup(() => database.close());
  cleanup(() => replica.close());
  await replica.probe();
  return { replica, db };
}

const whoReads = ({ replica }: Opened): Promise<'replica' | 'primary'> =>
  replica.read(async (db) => {
    const { rows } = await sql<{ yes: boolean }>`select pg_is_in_recovery() as yes`.execute(db);
    return rows[0]?.yes ? 'replica' : 'primary';
  });
const count = async (db: Db): Promise<number> =>
  (await sql<{ n: number }>`select count(*)::integer as n from written`.execute(db)).rows[0]?.n ?? 0;
const write = (db: Db) => sql`insert into written default values`.execute(db);
const fallbacks = ({ replica }: Opened): Record<string, number> =>
  Object.fromEntries([...replica.fallbacks].filter(([, n]) => n > 0));

describe('a replica', needsReplica, async () => {
  if (needsReplica.skip !== false) return;
  await run(
    await newDatabase(NAME),
    'create table written (id bigint generated always as identity)',
    'create table change_versions (topic text primary key, version bigint not null)',
  );
  const server = await startReplica();
  const url = inDatabase(server, NAME);

  for (const [where, skip] of [
    ['by itself', false],
    ['behind PgBouncer', needsPooler.skip],
  ] as const) {
    describe(where, { skip }, async () => {
      if (skip !== false) return;
      const address = where === 'by itself' ? url : (await startPooler(2, {}, url)).through(url);

      test('reads, and shows what was committed a moment before', async () => {
        const node = await opened(address);
        assert.equal(await whoReads(node), 'replica');
        const before = await count(node.db);
        for (let i = 1; i <= 50; i++) {
          await write(node.db);
          assert.equal(await node.replica.read(count), before + i);
        }
        assert.deepEqual(fallbacks(node), {});
        assert.deepEqual(node.replica.status, { reason: null, lagBytes: 0, lagMs: 0 });
      });

      test('shows it also to a role whose transactions keep their first snapshot', async () => {
        const own = `alter database ${NAME} set default_transaction_isolation`;
        await run(primary.url, `${own} = 'repeatable read'`);
        await until('the replica has it', () => hasAll(primary, server));
        const node = await opened(where === 'by itself' ? url : (await startPooler(2, {}, url)).through(url));
        const before = await count(node.db);
        await run(url, 'select pg_wal_replay_pause()');
        await write(node.db);
        const reading = node.replica.read(count);
        await new Promise((done) => setTimeout(done, WAIT_MS / 5));
        await run(url, 'select pg_wal_replay_resume()');
        assert.deepEqual([await reading, fallbacks(node)], [before + 1, {}]);
        await run(primary.url, `alter database ${NAME} reset default_transaction_isolation`);
      });

      test('an answer of the service is an answer, and a statement that takes too long ends by itself', async () => {
        const node = await opened(address);
        const refuse = () => Promise.reject(new AppError('NOT_FOUND'));
        await assert.rejects(node.replica.read(refuse), new AppError('NOT_FOUND'));
        const told = await node.replica.read(async (db) => [
          await readWithin(db, 1000, count),
          await readWithin(db, 20, async (on) => sql`select pg_sleep(60)`.execute(on)),
          await rowsWith(db, { within: 20 }, sql`select pg_sleep(60)`),
          (await rowsWith(db, { within: 1000 }, sql<{ one: number }>`select 1 as one`))?.[0]?.one,
          await count(db),
        ]);
        const written = await count(node.db);
        assert.deepEqual(told, [written, null, null, 1, written]);
        assert.deepEqual([node.replica.used, fallbacks(node)], [2, {}]);
      });

      test('a statement that fails there is tried by the primary', async () => {
        const node = await opened(address);
        await node.replica.read(write);
        assert.deepEqual([await whoReads(node), fallbacks(node)], ['replica', { error: 1 }]);
      });
    });
  }

  test('that gives fewer connections than the pool may have serves by those, and is told of once', async () => {
    await run(
      inDatabase(primary, NAME),
      'create role reader login connection limit 2',
      'grant select on all tables in schema public to reader',
    );
    await until('the replica has it', () => hasAll(primary, server));
    const asReader = new URL(url);
    asReader.username = 'reader';
    const told: Record<string, unknown>[] = [];
    const log = createLog('warn', { write: (line: string) => told.push(JSON.parse(line)) });
    const node = await opened(asReader.href, { log });
    const slow = (db: Db) => sql`select pg_sleep(0.05)`.execute(db);
    for (let round = 0; round < 2; round++) await Promise.all(Array.from({ length: 8 }, () => node.replica.read(slow)));
    assert.deepEqual([node.replica.used, fallbacks(node)], [16, {}]);
    const warnings = told.map(({ reason, DATABASE_POOL }) => [reason, DATABASE_POOL]);
    assert.deepEqual(warnings, [['too many connections for role "reader"', 4]]);
    assert.match(String(told[0]?.['msg']), /^the replica gives fewer connections than DATABASE_POOL: /);
  });

  test('that is late is not used until it has caught up', async () => {
    const node = await opened(url, { waitMs: 30 });
    await run(url, 'select pg_wal_replay_pause()');
    const before = await count(node.db);
    await write(node.db);
    assert.equal(await node.replica.read(count), before + 1);
    await node.replica.probe();
    const { reason, lagBytes } = node.replica.status;
    assert.deepEqual([reason, (lagBytes ?? 0) > 0], ['late', true]);
    assert.equal(await whoReads(node), 'primary');
    assert.deepEqual(fallbacks(node), { late: 2 });
    await run(url, 'select pg_wal_replay_resume()');
    await until('it is used', async () => (await node.replica.probe(), node.replica.status.reason === null));
    assert.equal(await whoReads(node), 'replica');
  });

  test('that is a little late is waited for', async () => {
    await run(url, "alter system set recovery_min_apply_delay = '100ms'", 'select pg_reload_conf()');
    const node = await opened(url);
    const before = await count(node.db);
    await until('it delays', async () => {
      await write(node.db);
      const from = monotonicNow();
      await node.replica.read(count);
      return monotonicNow() - from > 50;
    });
    assert.ok((await node.replica.read(count)) > before);
    assert.deepEqual(fallbacks(node), {});
    await run(url, 'alter system reset recovery_min_apply_delay', 'select pg_reload_conf()');
  });

  test('whose recovery cancels a read leaves it to the primary, and goes on', async () => {
    await run(url, 'alter system set max_standby_streaming_delay = 0', 'select pg_reload_conf()');
    const node = await opened(url);
    const begun = Promise.withResolvers<void>();
    const reading = node.replica.read(async (db) => {
      const { rows } = await sql<{ yes: boolean }>`select pg_is_in_recovery() as yes`.execute(db);
      if (rows[0]?.yes) {
        begun.resolve();
        await sql`select count(pg_sleep(0.1)) from written`.execute(db);
      }
      return count(db);
    });
    await begun.promise;
    await run(inDatabase(primary, NAME), 'delete from written', 'vacuum written');
    assert.equal(await reading, 0);
    assert.deepEqual([await whoReads(node), fallbacks(node)], ['replica', { conflict: 1 }]);
    await run(url, 'alter system reset max_standby_streaming_delay', 'select pg_reload_conf()');
  });

  test('that is killed costs no read, and is used again when it is back', async () => {
    const node = await opened(url);
    let ended = false;
    const reading = Array.from({ length: 8 }, async () => {
      while (!ended) await whoReads(node);
    });
    await server.kill();
    // A probe takes a read's word for it, where one has found since the last probe that it can be used.
    await until('it is known', async () => (await node.replica.probe(), node.replica.status.reason === 'away'));
    assert.equal(await whoReads(node), 'primary');
    await server.restart();
    await until('it is used', async () => (await node.replica.probe(), node.replica.status.reason === null));
    assert.equal(await whoReads(node), 'replica');
    ended = true;
    await Promise.all(reading);
  });

  test('that does not answer holds nobody up, also in the middle of a read', async () => {
    const { hostname, port } = new URL(url);
    const proxy = await startProxy(hostname, Number(port));
    const through = new URL(url);
    through.port = String(proxy.port);
    const node = await opened(through.href);
    cleanup(() => proxy.cut());
    assert.equal(await whoReads(node), 'replica');
    const from = monotonicNow();
    const reading = node.replica.read(async (db) => {
      if (proxy.isHanging) return whoReads(node);
      proxy.hang();
      return count(db);
    });
    assert.equal(await whoReads(node), 'primary');
    await node.replica.probe();
    assert.equal(await reading, 'primary');
    assert.ok(monotonicNow() - from < 5000, `${monotonicNow() - from} ms`);
    assert.equal(node.replica.status.reason, 'away');
  });

  test('must be one of this database', async () => {
    const other = await newDatabase('other');
    await assert.rejects((await opened(other)).replica.refuseForeign(), /READ_DATABASE_URL is no replica.*to other of/);
    const itself = await opened(inDatabase(primary, NAME));
    await itself.replica.refuseForeign();
    assert.deepEqual([itself.replica.status.reason, await whoReads(itself)], ['promoted', 'primary']);
  });

  test('waits a second for the primary, and then asks it on another connection', async () => {
    const { db } = await opened(url);
    let isSilent = true;
    const begun = Promise.withResolvers<void>();
    const ask = positionOf(
      db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult({ result }) {
          begun.resolve();
          return isSilent ? new Promise(() => undefined) : Promise.resolve(result);
        },
      }),
    );
    const from = monotonicNow();
    const first = ask();
    const refused = assert.rejects(first, { reason: 'primary' });
    await begun.promise;
    const second = ask();
    isSilent = false;
    assert.match((await second).lineage, /^timeline /);
    await refused;
    assert.ok(monotonicNow() - from < 3000, `${monotonicNow() - from} ms`);
  });

  test('without the mark of the timeline is not used', async () => {
    const node = await opened(url);
    assert.equal(await whoReads(node), 'replica');
    await run(inDatabase(primary, NAME), 'delete from change_versions');
    assert.equal(await whoReads(node), 'primary');
    assert.deepEqual(fallbacks(node), { late: 1 });
  });

  test('that followed the old primary further than the new one knows is not used', async () => {
    const next = await startReplica();
    const node = await opened(url, { of: inDatabase(next, NAME) }).catch((error: Error) => error);
    assert.ok(node instanceof Error || node.replica.status.reason !== null, 'a replica is no primary');
    await run(next.url, 'select pg_promote()');
    // Only the old replica has this.
    await run(inDatabase(primary, NAME), 'insert into written select from generate_series(1, 100000)');
    await until(
      'it is ahead',
      async () => (await run(url, 'select count(*)::int as n from written'))[0]?.n === 100_000,
    );
    const after = await opened(url, { of: inDatabase(next, NAME) });
    assert.equal(await after.replica.read(count), 0);
    assert.deepEqual(after.replica.status.reason, 'foreign');
    const follower = await opened(inDatabase(await startReplica(next), NAME), { of: inDatabase(next, NAME) });
    assert.equal(await whoReads(follower), 'replica');
  });

  test('that has replayed what a restored primary never wrote is not used', async () => {
    const copy = await primary.restored();
    cleanup(() => copy.stop());
    const there = await opened(url);
    await sql`insert into written select from generate_series(1, 10000)`.execute(there.db);
    await until('it has them', () => hasAll(primary, server));
    const node = await opened(url, { of: inDatabase(copy, NAME) });
    assert.deepEqual([node.replica.status.reason, await whoReads(node)], ['foreign', 'primary']);
    // A busy machine may have put it off for a moment.
    await until('its own is used', async () => (await there.replica.probe(), (await whoReads(there)) === 'replica'));
    const looked = await lookAtReplica({ url, pooled: undefined }, { primary: node.db, waitMs: 0 });
    assert.equal(looked.verdict, 'ahead');
  });

  test('that takes the connection and says nothing holds no start up', async () => {
    const { hostname, port } = new URL(url);
    const proxy = await startProxy(hostname, Number(port));
    const through = new URL(url);
    through.port = String(proxy.port);
    const node = await opened(through.href);
    cleanup(() => proxy.cut());
    proxy.hang();
    const from = monotonicNow();
    await node.replica.refuseForeign();
    assert.ok(monotonicNow() - from < 3000, `${monotonicNow() - from} ms`);
  });

  test('that is promoted is not used any more', async () => {
    const node = await opened(url);
    assert.equal(await whoReads(node), 'replica');
    await run(server.url, 'select pg_promote()');
    assert.equal(await whoReads(node), 'primary');
    assert.equal(node.replica.status.reason, 'promoted');
  });
});
