import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { EVENTS } from '../src/contracts/events/index.ts';
import { ManualClock, systemClock } from '../src/lib/clock.ts';
import { uuidv7 } from '../src/lib/ids.ts';
import { inTransaction, isDatabaseAway } from '../src/platform/db/index.ts';
import { given } from './helpers/case.ts';
import { onlyPostgres, withDatabase } from './helpers/database.ts';
import { cursorOf, startNode, type Tenant, until } from './helpers/engine.ts';
import { Publisher, publishJobs } from './helpers/publisher.ts';
import { startReceiver } from './helpers/receiver.ts';

const database = await withDatabase();
const node = await startNode({ database });
const { db } = node;
const publisher = await node.tenant('PLATFORM');
/** Of its own: an event that nobody knows stops its reader for good. */
const upgrading = await withDatabase();
const upgraded = await startNode({ database: upgrading });
/** Of its own: all its connections are cut. */
const cut = await withDatabase();

/** As many events of one account, published and fanned out. */
async function fanOutTo(tenant: Tenant, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({ event: 'checkout.started' as const }));
  await node.publish(publisher, [tenant], events);
  await node.fanOut();
}

/** The server ends all other connections to the database, or the one with this number. */
const terminate = (client: Client, pid: number | null = null): Promise<unknown> =>
  client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ($1::int is null or pid = $1)`,
    [pid],
  );

/** A connection that no termination ends but its own. */
async function outsider(): Promise<Client> {
  const client = await cut.connect?.();
  assert.ok(client);
  return client;
}

test(
  'a connection that the server ends between two statements fails the transaction, not the process',
  onlyPostgres,
  async () => {
    const client = await outsider();
    const gone = async (pid: number): Promise<boolean> =>
      (await client.query('select from pg_stat_activity where pid = $1', [pid])).rowCount === 0;
    try {
      for (let i = 0; i < 5; i++) {
        let between = false;
        await assert.rejects(
          inTransaction(cut.db, async (trx) => {
            const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
            const pid = rows[0]?.pid ?? 0;
            await terminate(client, pid);
            await until('the server has ended it', () => gone(pid));
            between = true;
            await sql`select 1`.execute(trx);
          }),
          isDatabaseAway,
        );
        assert.ok(between, 'it was the statement after it that failed');
      }
      assert.equal((await sql`select 1`.execute(cut.db)).rows.length, 1, 'the next one has a new connection');
    } finally {
      await client.end();
    }
  },
);

test(
  'all connections are cut several times under load: the service lives on and delivers all it accepted',
  onlyPostgres,
  async (t) => {
    class Running extends ManualClock {
      override now(): number {
        return systemClock.now();
      }
    }
    const live = await startNode({ database: cut, clock: new Running(), loops: true });
    const [receiver, tenant, platform] = [await startReceiver(), await live.tenant(), await live.tenant('PLATFORM')];
    await live.endpoint(tenant, receiver.url(), { maxInFlight: 100 });
    const client = await outsider();
    t.after(() => client.end());
    const jobs = publishJobs('cut', 600, 1, [tenant.id]);
    const publishing = new Publisher(platform.key, jobs);
    const cuts: Promise<unknown>[] = [];
    let answers = 0;
    await publishing.run(Number(new URL(live.service.url).port), 8, () => {
      if (++answers % 100 === 50) cuts.push(terminate(client));
    });
    await Promise.all(cuts);
    assert.equal(cuts.length, 6);
    assert.equal(publishing.answered.size, 600, 'every request was answered 202 in the end');
    const missing = (): string[] => {
      const arrived = new Set(receiver.received.map((r) => r.headers['x-service-event-id']));
      return [...publishing.answered.values()].filter((id) => !arrived.has(id));
    };
    await until('everything accepted is delivered', () => missing().length === 0, 30_000);
    // By a connection that was not cut: those of the pool may not have heard of the last time yet.
    const { rows } = await client.query<{ n: number }>('select count(*)::int as n from events');
    assert.equal(rows[0]?.n, 600, 'a repeated request publishes nothing twice');
  },
);

test('a take-over that fails half-way sends nothing twice when it is made again', async () => {
  const it = await given(node, () => 200);
  await fanOutTo(it.tenant, 3);
  await node.quiet();
  await node.engine.fanOut.release();
  // As after a crash: the outcomes are written, and the cursor is behind them.
  await sql`update event_readers set position = position - 3`.execute(db);
  await sql`alter sequence event_positions rename to away`.execute(db);
  await assert.rejects(node.engine.fanOut.step(), /event_positions/);
  await sql`alter sequence away rename to event_positions`.execute(db);
  await fanOutTo(it.tenant, 1);
  await node.quiet();
  assert.equal(it.receiver.received.length, 4, 'three and the new one');
  assert.deepEqual(await it.statuses(), Array(4).fill('DELIVERED'));
});

test('an event that this version does not know is left to a newer node, those before it delivered once', async () => {
  const it = await given(upgraded, () => 'never');
  const platform = await upgraded.tenant('PLATFORM');
  const holder = async (): Promise<string | null> => {
    const { rows } = await sql<{ lease_owner: string | null }>`
      select lease_owner from event_readers where name = 'webhook-fan-out' and lease_until > now()`.execute(
      upgraded.db,
    );
    return rows[0]?.lease_owner ?? null;
  };
  const known = await upgraded.publish(
    platform,
    [it.tenant],
    [{ event: 'offer.created' }, { event: 'offer.accepted' }],
  );
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select nextval('event_positions'), ${uuidv7(upgraded.clock.now())}::uuid, 'offer.teleported', data, account_ids,
      occurred_at, recorded_at, request_id from events where id = ${known[0]}::uuid`.execute(upgraded.db);
  await upgraded.publish(platform, [it.tenant], [{ event: 'offer.rejected', data: EVENTS['offer.rejected'].example }]);

  await upgraded.fanOut();
  await until('those before it are sent', () => it.receiver.waiting === 2);
  await upgraded.fanOut();
  it.receiver.script = () => 200;
  it.receiver.release();
  await upgraded.quiet();
  await until('the lease is given up', async () => (await upgraded.fanOut(), (await holder()) === null));
  assert.equal(await cursorOf(upgraded.db), 2, 'right before it');
  assert.deepEqual(await it.statuses(), ['DELIVERED', 'DELIVERED']);

  const next = await startNode({ database: upgrading, clock: upgraded.clock });
  await next.work();
  await upgraded.work();
  assert.deepEqual(
    it.receiver.received.map((r) => r.headers['x-service-event-id']),
    known,
    'each once, and nothing behind it',
  );
  assert.deepEqual([await holder(), await cursorOf(upgraded.db)], [null, 2]);
});
