import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { EVENTS } from '../src/contracts/events/index.ts';
import { inTransaction } from '../src/platform/db/index.ts';
import { testDb, withDatabase } from './helpers/database.ts';
import { deliveriesOf, startNode, type Tenant, type TestNode, until, untilAll } from './helpers/engine.ts';
import { type NatsServer, noNatsServers, startNatsServers } from './helpers/nats-servers.ts';
import { type Received, startReceiver } from './helpers/receiver.ts';

/**
 * What either way of dispatching has to hold (docs/adr/0022, 0036): the same tests for both. Kills of whole processes are in
 * test/webhooks-kill.test.ts and test/cluster.
 */

const WORKERS = 3;
const servers = noNatsServers === null ? await startNatsServers() : [];
const [server] = servers as [NatsServer];

async function streamState(name: string): Promise<{ messages: number }> {
  const connection = await connect({ servers: server.url });
  try {
    const { state } = await (await jetstreamManager(connection)).streams.info(name);
    return { messages: state.messages };
  } finally {
    await connection.close();
  }
}

/** The embedded database has one connection, and takes several times as long for each: the workers meet there as well with fewer. */
const EACH = testDb === 'postgres' ? 300 : 80;

const eventOf = ({ headers }: Received): string => String(headers['x-service-event-id']);

for (const dispatch of ['postgres', 'jetstream'] as const) {
  describe(`dispatch by ${dispatch}`, { skip: dispatch === 'jetstream' && (noNatsServers ?? false) }, async () => {
    if (dispatch === 'jetstream' && noNatsServers !== null) return;
    const stream = `test-${randomUUID()}`;
    const settings: Record<string, string> =
      dispatch === 'postgres'
        ? {}
        : {
            WEBHOOK_DISPATCH: 'jetstream',
            WEBHOOK_HAND_OVER: 'share',
            NATS_URL: server.url,
            NATS_STREAM: stream,
            DATABASE_URL: 'postgres://given.by/the-test',
          };
    const database = await withDatabase();
    // The one that is asked sends nothing: its loops do not run.
    const front = await startNode({ database, settings });
    const { db, clock } = front;
    const start = (): Promise<TestNode> =>
      startNode({ database, clock, settings: { ...settings, SHUTDOWN_SECONDS: '8' }, loops: true });
    const publisher = await front.tenant('PLATFORM');
    const receiver = await startReceiver();
    const tenants: Tenant[] = [];
    for (let i = 0; i < 4; i++) {
      const tenant = await front.tenant();
      tenants.push(tenant);
      await front.endpoint(tenant, receiver.url(`/${tenant.id}`));
    }
    const [ordered, capped] = [await front.tenant(), await front.tenant()];
    await front.endpoint(ordered, receiver.url('/ordered'), { maxInFlight: 1 });
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => start()));

    const publish = async (audience: readonly Tenant[], events: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let left = events; left > 0; left -= 100) {
        const some = Array.from({ length: Math.min(left, 100) }, () => ({ event: 'checkout.started' as const }));
        ids.push(...(await front.publish(publisher, audience, some)));
      }
      return ids;
    };
    /** Each of these events has come so often to each account. */
    const assertCame = (ids: readonly string[], audience: readonly Tenant[], times = 1): void => {
      for (const { id } of audience) {
        const counts = Map.groupBy(receiver.at(`/${id}`).map(eventOf), (e) => e);
        assert.deepEqual(
          ids.filter((e) => (counts.get(e)?.length ?? 0) !== times),
          [],
        );
      }
    };
    const allRows = async (count: number, status = 'DELIVERED'): Promise<void> => {
      const rows = async (): Promise<number> => {
        const counted = sql<{ n: number }>`select count(*)::int n from webhook_deliveries where status = ${status}`;
        return (await counted.execute(db)).rows[0]?.n ?? 0;
      };
      await untilAll(`${status} rows`, count, rows, 60_000).catch(async (error: Error) => {
        const others = (await deliveriesOf(db)).filter((d) => d.status !== status).slice(0, 20);
        throw new Error(`${error.message}; it is ${clock.now()}, others: ${JSON.stringify(others)}`);
      });
    };
    const handed = (): number[] => workers.map(({ engine }) => engine.dispatch?.handed ?? 0);
    const taken = (): number => workers.reduce((n, { engine }) => n + (engine.dispatch?.made ?? 0), 0);
    let delivered = 0;

    test('a publication that is rolled back leaves nothing', async () => {
      const before = receiver.received.length;
      const rolledBack = inTransaction(db, async (trx) => {
        const { events } = front.service.modules;
        const { example } = EVENTS['checkout.started'];
        await events.publish(trx, 'checkout.started', example, { accountIds: tenants.map((t) => t.id) }, front.env);
        throw new Error('on purpose');
      });
      await assert.rejects(rolledBack);
      const ids = await publish(tenants, 1);
      await allRows((delivered += tenants.length));
      assert.equal(receiver.received.length - before, tenants.length);
      assertCame(ids, tenants);
    });

    test('many workers send each delivery once', async () => {
      receiver.script = () => 200;
      const ids = await publish(tenants, EACH);
      await allRows((delivered += EACH * tenants.length));
      assertCame(ids, tenants);
      if (dispatch === 'jetstream') {
        assert.ok(Math.max(...handed()) > EACH / 4, `handed over: ${handed().join()}`);
        assert.ok(taken() > EACH / 4, `made for others: ${taken()}`);
        await until(
          'the stream is empty: all of it is acknowledged',
          async () => (await streamState(stream)).messages === 0,
        );
      }
    });

    test('an endpoint with a cap of one gets its events in order, and never two at once', async () => {
      // So few that the last of them goes within a second however slow the machine: what would wait for longer is put off, out of order.
      const ids = await publish([ordered], 40);
      await allRows((delivered += ids.length));
      assert.deepEqual(receiver.at('/ordered').map(eventOf), ids);
    });

    test('a cap holds over all workers', async () => {
      await front.endpoint(capped, receiver.url('/capped'), { maxInFlight: 3 });
      receiver.script = ({ path }) => (path === '/capped' ? 'never' : 200);
      const ids = await publish([capped], 12);
      let most = 0;
      for (let answered = 0; answered < ids.length; ) {
        await until('some wait for an answer', () => receiver.waiting > 0, 30_000);
        // Whoever else may come has the time to.
        await new Promise((done) => setTimeout(done, 150));
        most = Math.max(most, receiver.waiting);
        answered += receiver.waiting;
        receiver.release();
      }
      receiver.script = () => 200;
      await allRows((delivered += ids.length));
      assert.ok(most >= 2 && most <= 3, `${most} at once`);
      assert.equal(receiver.at('/capped').length, ids.length);
    });

    test('what fails is due again by its schedule; five failures make a dead letter, at this receiver only', async () => {
      const [bad, ...good] = tenants as [Tenant, ...Tenant[]];
      receiver.script = ({ path }) => (path === `/${bad.id}` ? 500 : 200);
      const ids = await publish(tenants, 5);
      await allRows((delivered += 5 * good.length));
      for (let attempt = 1; attempt < 5; attempt++) {
        await until(
          `attempt ${attempt} of each`,
          async () =>
            (await deliveriesOf(db)).filter((d) => d.attempts === attempt && d.status === 'PENDING').length === 5,
          30_000,
        );
        clock.advance(24 * 3_600_000);
      }
      await allRows(5, 'DEAD');
      assertCame(ids, good);
      assertCame(ids, [bad], 5);
      receiver.script = () => 200;
    });

    /** A row that is due, as a worker that is gone has left it; `leased`: that of the present sender lasts for so long. */
    const leave = async (tenant: Tenant, row: { webhook?: string; faults?: number; leased?: string }) => {
      const id = front.env.newId();
      const { webhook = 'offer.created', faults = 0, leased = null } = row;
      const daysAgo = new Date(clock.now() - 72 * 3_600_000);
      await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, next_attempt_at,
          error_class, faults, request_id, body, created_at, updated_at, lease_owner, lease_until)
        select ${id}::uuid, ${front.env.newId()}::uuid, ${webhook}, e.id, e.account_id, 'PENDING', 0, ${new Date(clock.now())},
          ${faults === 0 ? null : 'INTERNAL'}, ${faults}, 'r', '{}', ${daysAgo}, ${daysAgo},
          case when ${leased}::text is null then 'gone' else (select lease_owner from event_readers where name = 'webhook-fan-out') end,
          now() + coalesce(${leased}, '1 hour')::interval
        from webhook_endpoints e where e.account_id = ${tenant.id}::uuid`.execute(db);
      return id;
    };
    const rowOf = async (id: string) => (await deliveriesOf(db)).find((row) => row.id === id);
    const claims = (): void => workers.forEach(({ engine }) => engine.wakeClaims());

    test('what was taken on and has no end is taken on again: at once by another sender, by the same when its lease is over', async () => {
      const [tenant] = tenants as [Tenant];
      const [left, running] = [await leave(tenant, {}), await leave(tenant, { leased: '3 seconds' })];
      claims();
      await until('the first is sent', async () => (await rowOf(left))?.status === 'DELIVERED', 30_000);
      assert.equal((await rowOf(running))?.status, 'PENDING');
      await until('and the second', async () => (await rowOf(running))?.status === 'DELIVERED', 30_000);
      delivered += 2;
    });

    test('poison is put off again and again, a dead letter after two days, and holds up nothing', async () => {
      const [tenant] = tenants as [Tenant];
      const young = await leave(tenant, { webhook: 'not.known', faults: 52 });
      const old = await leave(tenant, { webhook: 'not.known', faults: 53 });
      const good = await leave(tenant, {});
      claims();
      await until('the good one is sent', async () => (await rowOf(good))?.status === 'DELIVERED', 30_000);
      await until('the old one is a dead letter', async () => (await rowOf(old))?.status === 'DEAD', 30_000);
      const dueIn = async (): Promise<number> => ((await rowOf(young))?.next_attempt_at?.getTime() ?? 0) - clock.now();
      await until('the young one is put off for an hour', async () => (await dueIn()) === 3_600_000, 30_000);
      const { status, attempts, error_class: errorClass } = (await rowOf(old)) ?? {};
      assert.deepEqual({ status, attempts, errorClass }, { status: 'DEAD', attempts: 0, errorClass: 'INTERNAL' });
      assert.equal((await rowOf(young))?.status, 'PENDING');
      delivered += 1;
    });

    test('a worker that stops finishes what it has; nothing is lost and nothing comes twice', async () => {
      receiver.script = () => 'never';
      const answering = setInterval(() => receiver.release(), 100);
      const publishing = publish(tenants, 100);
      await until('some are under way', () => receiver.waiting > 4, 30_000);
      const leaving = workers.shift() as TestNode;
      await leaving.service.stop();
      workers.push(await start());
      const ids = await publishing;
      await allRows((delivered += 100 * tenants.length));
      clearInterval(answering);
      receiver.release();
      receiver.script = () => 200;
      assertCame(ids, tenants);
    });

    if (dispatch !== 'jetstream') return;

    test('messages that are none of ours are left out, wherever they come, and the rest goes on', async () => {
      const connection = await connect({ servers: server.url });
      const [{ opened }] = workers.map(({ service }) => service) as [TestNode['service']];
      const node = opened.platform.nodeId.replaceAll(/[^\w-]/g, '_');
      for (const text of ['no JSON', '{}', '{"v":1,"from":"x","batch":1}', 'x'.repeat(40), ''])
        for (const subject of ['attempts', 'all', `node.${node}`]) connection.publish(`${stream}.${subject}`, text);
      await connection.flush();
      const ids = await publish(tenants, 50);
      await allRows((delivered += 50 * tenants.length));
      assertCame(ids, tenants);
      await until('all of it is gone', async () => (await streamState(stream)).messages === 0);
      await connection.close();
    });

    test('a broker that is killed loses nothing: what it had is sent without it, and by it again when it is back', async () => {
      receiver.script = () => 'never';
      const answering = setInterval(() => receiver.release(), 50);
      const publishing = publish(tenants, 300);
      await until('some are with others', () => workers.some(({ engine }) => (engine.dispatch?.away ?? 0) > 0), 30_000);
      await server.kill();
      const ids = await publishing;
      await allRows((delivered += 300 * tenants.length));
      clearInterval(answering);
      receiver.release();
      receiver.script = () => 200;
      const counts = tenants.flatMap(({ id }) => {
        const came = Map.groupBy(receiver.at(`/${id}`).map(eventOf), (e) => e);
        return ids.map((e) => came.get(e)?.length ?? 0);
      });
      assert.ok(counts.every((n) => n > 0));
      process.stdout.write(`broker killed: ${counts.length} deliveries, ${counts.filter((n) => n > 1).length} twice\n`);
      await server.start();
      const before = handed().reduce((a, b) => a + b, 0);
      await until(
        'attempts are handed over again',
        async () => {
          await publish(tenants, 100);
          await allRows((delivered += 100 * tenants.length));
          return handed().reduce((a, b) => a + b, 0) > before;
        },
        60_000,
      );
    });
  });
}

test('what a worker has room for it makes itself, and hands over what is beyond', {
  skip: noNatsServers ?? false,
}, async () => {
  const database = await withDatabase();
  const settings = {
    WEBHOOK_DISPATCH: 'jetstream',
    NATS_URL: server.url,
    NATS_STREAM: `test-${randomUUID()}`,
    DATABASE_URL: 'postgres://given.by/the-test',
    // An endpoint may have an eighth of those of all workers, and a worker keeps half of its own: four.
    WEBHOOK_WORKER_IN_FLIGHT: '8',
    WEBHOOK_SENDER_THREADS: '1',
  };
  const front = await startNode({ database, settings });
  const workers = [1, 2].map(() => startNode({ database, clock: front.clock, settings, loops: true }));
  const dispatches = (await Promise.all(workers)).map(({ engine }) => engine.dispatch);
  const handed = (): number => dispatches.reduce((n, dispatch) => n + (dispatch?.handed ?? 0), 0);
  const publisher = await front.tenant('PLATFORM');
  const receiver = await startReceiver();
  const tenants = await Promise.all(Array.from({ length: 10 }, () => front.tenant()));
  for (const tenant of tenants) await front.endpoint(tenant, receiver.url('/'));
  const publish = (): Promise<string[]> => front.publish(publisher, tenants, [{ event: 'checkout.started' }]);
  await until('they know of each other', () => dispatches.every((dispatch) => dispatch?.workers === 2));

  for (const [i, tenant] of tenants.slice(0, 4).entries()) {
    await front.publish(publisher, [tenant], [{ event: 'checkout.started' }]);
    await until('it is there', () => receiver.received.length > i);
  }
  await untilAll('rows', 4, async () => (await deliveriesOf(front.db)).length);
  assert.equal(handed(), 0);

  receiver.script = () => 'never';
  await publish();
  await until('some are with the other', () => handed() > 0);
  receiver.script = () => 200;
  receiver.release();
  await untilAll('rows', 14, async () => (await deliveriesOf(front.db)).filter((d) => d.status === 'DELIVERED').length);
  assert.ok(handed() <= 6, `${handed()} of ten were handed over`);
});
