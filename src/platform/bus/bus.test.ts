import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres } from '../../../test/helpers/database.ts';
import { needsPooler, startPooler } from '../../../test/helpers/pooler.ts';
import { natsUrl, needsNats } from '../../../test/helpers/services.ts';
import { startProxy } from '../../../test/helpers/tcp-proxy.ts';
import { type Database, openPostgres } from '../db/index.ts';
import { createLog } from '../log/log.ts';
import type { Bus } from './bus.ts';
import { localBus } from './local-bus.ts';
import { natsBus } from './nats-bus.ts';
import { postgresBus } from './postgres-bus.ts';
import { Coalescer } from './subscriptions.ts';

/** What was logged by all nodes. */
const lines: string[] = [];
const log = createLog('info', { write: (line) => void lines.push(line) });

interface Kind {
  /** A node of its own on the bus. */
  open: (nodeId: string) => Promise<Bus>;
  /** Breaks the connection of every node. */
  breakConnections(): Promise<void>;
}

/** Counts calls; `reached(n)` resolves once there have been so many. */
class Calls {
  count = 0;
  #waiting: { n: number; done: () => void }[] = [];
  readonly call = (): void => {
    this.count++;
    for (const w of this.#waiting.filter(({ n }) => n <= this.count)) w.done();
  };
  reached(n: number): Promise<void> {
    return new Promise((done) => (n <= this.count ? done() : this.#waiting.push({ n, done })));
  }
}

interface Place {
  skip: string | false;
  /** What is logged when the connection is there again. */
  back: RegExp;
}

/** What every bus between processes does; run against each adapter on its real server. */
function conformance(name: string, { back, ...options }: Place, setUp: () => Promise<Kind>): void {
  describe(name, options, () => {
    let kind: Promise<Kind> | undefined;
    async function twoNodes(): Promise<[Bus, Bus]> {
      const { open } = await (kind ??= setUp());
      const nodes = [await open(`a-${randomUUID()}`), await open(`b-${randomUUID()}`)] as [Bus, Bus];
      for (const node of nodes) cleanup(() => node.close());
      return nodes;
    }
    const topicOf = (): string => `topic-${randomUUID()}`;

    test('tells the other nodes', async () => {
      const [a, b] = await twoNodes();
      const topic = topicOf();
      const calls = new Calls();
      b.subscribe(topic, calls.call);
      a.publish(topic);
      await calls.reached(1);
    });

    test('does not tell the node itself', async () => {
      const [a, b] = await twoNodes();
      const [topic, marker] = [topicOf(), topicOf()];
      const [own, others, marked] = [new Calls(), new Calls(), new Calls()];
      a.subscribe(topic, own.call);
      a.subscribe(marker, marked.call);
      b.subscribe(topic, others.call);
      a.publish(topic);
      await others.reached(1);
      // The marker passes the server after the message, so the message would have been here before it.
      b.publish(marker);
      await marked.reached(1);
      assert.equal(own.count, 0);
    });

    test('keeps topics apart, and stops telling who unsubscribed', async () => {
      const [a, b] = await twoNodes();
      const [topic, other] = [topicOf(), topicOf()];
      const [left, stayed, apart] = [new Calls(), new Calls(), new Calls()];
      const leave = b.subscribe(topic, left.call);
      b.subscribe(topic, stayed.call);
      b.subscribe(other, apart.call);
      leave();
      a.publish(topic);
      await stayed.reached(1);
      assert.deepEqual([left.count, apart.count], [0, 0]);
    });

    test('may tell a storm of messages in fewer, but never in none', async () => {
      const [a, b] = await twoNodes();
      const topic = topicOf();
      const calls = new Calls();
      b.subscribe(topic, calls.call);
      for (let i = 0; i < 1000; i++) a.publish(topic);
      await calls.reached(2);
      assert.ok(calls.count <= 1000);
    });

    test('after a lost connection calls every listener, says that it is back, and goes on', async () => {
      const [a, b] = await twoNodes();
      lines.length = 0;
      const topic = topicOf();
      const calls = new Calls();
      b.subscribe(topic, calls.call);
      await (await (kind as Promise<Kind>)).breakConnections();
      // Nothing was published: what may have been missed is made up for.
      await calls.reached(1);
      // Both ends have to be back; a message to one that is not is lost, as messages may be.
      const before = calls.count;
      const again = setInterval(() => a.publish(topic), 50);
      await calls.reached(before + 1).finally(() => clearInterval(again));
      const count = (text: RegExp): number => lines.filter((line) => text.test(line)).length;
      assert.ok(count(back) > 0 && count(back) <= count(/was lost; it is opened again/), lines.join(''));
    });

    test('never throws, neither while the connection is broken nor after the end', async () => {
      const [a] = await twoNodes();
      await (await (kind as Promise<Kind>)).breakConnections();
      a.publish(topicOf());
      await a.close();
      a.publish(topicOf());
      await a.close();
    });
  });
}

conformance('postgres-bus', { ...onlyPostgres, back: /for LISTEN is there again/ }, async () => {
  const url = await emptyPostgres();
  const database: Database = await openPostgres(url, 2);
  cleanup(() => database.close());
  return {
    open: (nodeId) => postgresBus(() => (database.connect as NonNullable<Database['connect']>)(), nodeId, log),
    async breakConnections() {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ilike 'listen %'`.execute(database.db);
    },
  };
});

test('messages go to PostgreSQL one after another, however many topics there are', onlyPostgres, async () => {
  const database = await openPostgres(await emptyPostgres(), 2);
  cleanup(() => database.close());
  const connectTo = async (): Promise<Client> => (await database.connect?.()) as Client;
  let underWay = 0;
  let most = 0;
  /** Counts the queries of one connection that are under way. */
  async function counted(): Promise<Client> {
    const client = await connectTo();
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    return Object.assign(client, {
      async query(...args: unknown[]) {
        most = Math.max(most, ++underWay);
        return query(...args).finally(() => underWay--);
      },
    });
  }
  const [sender, listener] = [await postgresBus(counted, 'a', log), await postgresBus(connectTo, 'b', log)];
  cleanup(() => Promise.all([sender.close(), listener.close()]));
  const calls = new Calls();
  const topics = Array.from({ length: 5 }, (_, i) => `topic-${i}`);
  for (const topic of topics) listener.subscribe(topic, calls.call);
  for (const topic of topics) sender.publish(topic);
  await calls.reached(topics.length);
  assert.equal(most, 1);
});

describe('the bus over an address of its own', needsPooler, () => {
  const proven = async (url: string, listenUrl: string): Promise<Bus> => {
    const database = await openPostgres(url, 2, { listenUrl });
    cleanup(() => database.close());
    assert.equal(database.isConnectSure, false);
    return postgresBus(database.connect as () => Promise<Client>, randomUUID(), log, database.db);
  };

  test('works beside a pooler', async () => {
    const direct = await emptyPostgres();
    const url = (await startPooler(2)).through(direct);
    const [a, b] = [await proven(url, direct), await proven(url, direct)];
    cleanup(() => Promise.all([a.close(), b.close()]));
    const calls = new Calls();
    b.subscribe('x', calls.call);
    a.publish('x');
    await calls.reached(1);
  });

  test('is refused where nothing would come: a pooler, or another database', async () => {
    const direct = await emptyPostgres();
    const url = (await startPooler(2)).through(direct);
    const says = /LISTEN does not work.*Set DATABASE_LISTEN_URL to the address of PostgreSQL itself/;
    await Promise.all([
      assert.rejects(proven(url, url), says),
      assert.rejects(proven(url, await emptyPostgres()), says),
      assert.rejects(proven(direct, 'postgres://127.0.0.1:1/x'), /the database of DATABASE_LISTEN_URL: /),
    ]);
  });
});

conformance('nats-bus', { ...needsNats, back: /NATS is reachable again/ }, async () => {
  const { hostname, port } = new URL(natsUrl ?? '');
  const proxy = await startProxy(hostname, Number(port));
  const url = `nats://127.0.0.1:${proxy.port}`;
  return {
    open: (nodeId) => natsBus(url, nodeId, log),
    breakConnections: async () => proxy.cut(),
  };
});

test(
  'a NATS server that is away at the start does not keep the service from starting, and is used once it is there',
  needsNats,
  async () => {
    const { hostname, port } = new URL(natsUrl ?? '');
    const proxy = await startProxy(hostname, Number(port));
    await proxy.close();
    const url = `nats://127.0.0.1:${proxy.port}`;
    const late = await natsBus(url, `late-${randomUUID()}`, log);
    const other = await natsBus(natsUrl ?? '', `other-${randomUUID()}`, log);
    const calls = new Calls();
    late.subscribe('x', calls.call);
    await proxy.listen();
    await calls.reached(1);
    other.publish('x');
    await calls.reached(2);
    assert.deepEqual(lines.flatMap((line) => /NATS is (not )?reachable/.exec(line)?.[0] ?? []).slice(-2), [
      'NATS is not reachable',
      'NATS is reachable',
    ]);
    await Promise.all([late.close(), other.close()]);
    await proxy.close();
    const never = await natsBus(url, `never-${randomUUID()}`, log);
    never.publish('x');
    await never.close();
  },
);

test('the local bus has nobody to tell', async () => {
  const bus = localBus();
  bus.subscribe('x', () => assert.fail('told itself'))();
  bus.subscribe('x', () => assert.fail('told itself'));
  bus.publish('x');
  await bus.close();
});

describe('the coalescer', () => {
  /** Lets the pause after a message pass, and what waits for it run. */
  async function pausePasses(t: TestContext): Promise<void> {
    const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
    await turn();
    t.mock.timers.tick(1000);
    await turn();
  }

  test('sends one message a topic at a time; what comes meanwhile is one more', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const sent: string[] = [];
    const ends: (() => void)[] = [];
    const coalescer = new Coalescer((topic) => {
      sent.push(topic);
      return new Promise((end) => ends.push(end));
    });
    for (let i = 0; i < 5; i++) coalescer.publish('a');
    coalescer.publish('b');
    assert.deepEqual(sent, ['a', 'b']);
    ends[0]?.();
    await pausePasses(t);
    assert.deepEqual(sent, ['a', 'b', 'a']);
    ends[2]?.();
    await pausePasses(t);
    assert.deepEqual(sent, ['a', 'b', 'a']);
  });

  test('goes on after a message that could not be sent', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let sent = 0;
    const coalescer = new Coalescer(async () => {
      sent++;
      throw new Error('away');
    });
    coalescer.publish('a');
    await pausePasses(t);
    coalescer.publish('a');
    await pausePasses(t);
    assert.equal(sent, 2);
  });
});
