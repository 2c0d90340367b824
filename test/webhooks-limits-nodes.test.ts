import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sql } from 'kysely';
import { EVENTS } from '../src/contracts/events/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import type { Db } from '../src/platform/db/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { onlyPostgres, testDb } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { type Node, startNodes } from './helpers/nodes.ts';

const CAP = 3;
const RATE = 20;
const EVENTS_PER_WAVE = 30;
const ANSWER_MS = 40;
const WITHIN_MS = 60_000;
/** Each look counts all the rows. Milliseconds. */
const LOOK_MS = 100;

/** Answers after a while, and knows how many requests to each path it had at once, and when each came. */
class Gauge {
  status = 500;
  readonly most = new Map<string, number>();
  readonly times = new Map<string, number[]>();
  readonly #open = new Map<string, number>();
  readonly server = createServer((request, response) => {
    request.resume();
    this.#begin(request.url ?? '', response);
  });

  #begin(path: string, response: ServerResponse): void {
    const open = (this.#open.get(path) ?? 0) + 1;
    this.#open.set(path, open);
    this.most.set(path, Math.max(open, this.most.get(path) ?? 0));
    this.times.set(path, [...(this.times.get(path) ?? []), monotonicNow()]);
    const answer = setTimeout(() => response.writeHead(this.status).end(), ANSWER_MS);
    // Answered, or cut off by a kill.
    response.on('close', () => {
      clearTimeout(answer);
      this.#open.set(path, (this.#open.get(path) ?? 1) - 1);
    });
  }

  count = (path: string): number => this.times.get(path)?.length ?? 0;

  /** The most requests to a path within a window of this length. */
  mostWithin(path: string, ms: number): number {
    const times = this.times.get(path) ?? [];
    let [most, from] = [0, 0];
    for (const [i, at] of times.entries()) {
      while (at - (times[from] as number) >= ms) from++;
      most = Math.max(most, i - from + 1);
    }
    return most;
  }
}

/** The process that sends now. */
async function holderOf(db: Db, nodes: readonly Node[]): Promise<Node | undefined> {
  const { rows } = await sql<{ owner: string | null }>`
    select lease_owner as owner from event_readers where name = 'webhook-fan-out'`.execute(db);
  return nodes.find((node) => rows[0]?.owner?.includes(`-${node.process.pid}-`));
}

const statuses = async (db: Db): Promise<Record<string, number>> => {
  const { rows } = await sql<{ status: string; n: number }>`
    select status || case when attempts = 0 then ' new' else '' end as status, count(*)::int as n
    from webhook_deliveries group by 1`.execute(db);
  return Object.fromEntries(rows.map((r) => [r.status, r.n]));
};

const started = testDb === 'postgres' ? await startNodes() : undefined;

// The one that is killed last: whoever was only stopped goes on.
for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
  test(
    `cap and rate of an endpoint hold over two nodes, for all kinds of attempts, also when the sender gets ${signal}`,
    onlyPostgres,
    async () => {
      const gauge = new Gauge();
      await new Promise<void>((done) => gauge.server.listen(0, '127.0.0.1', done));
      cleanup(() => gauge.server.close().closeAllConnections());
      const url = `http://127.0.0.1:${(gauge.server.address() as AddressInfo).port}`;
      assert.ok(started);
      const { nodes, open } = started;
      const database = await open();
      cleanup(() => database.close());
      const { db } = database;
      const [a, b] = nodes as readonly [Node, Node];
      const operator = await a.process.operator();
      const keyOf = async (type: string, scopes: string[]): Promise<{ id: string; key: string }> => {
        const { id } = await a.process.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
        const { key } = await a.process.call(
          'POST',
          '/v1/admin/api-keys',
          { accountId: id, name: 'k', scopes },
          operator,
        );
        return { id, key };
      };
      const platform = await keyOf('PLATFORM', ['events:publish']);
      const merchant = await keyOf('MERCHANT', ['webhooks:manage']);
      const register = (body: object): Promise<unknown> =>
        a.process.call('POST', '/v1/webhooks/endpoints', body, merchant.key);
      await register({ url: `${url}/cap`, maxInFlight: CAP });
      await register({ url: `${url}/rate`, ratePerSecond: RATE });
      const publish = (node: Node): Promise<unknown> => {
        const one = { event: 'offer.created', data: EVENTS['offer.created'].example, accountIds: [merchant.id] };
        return node.process.call(
          'POST',
          '/v1/events',
          { events: Array.from({ length: EVENTS_PER_WAVE }, () => one) },
          platform.key,
        );
      };
      await sql`delete from webhook_deliveries`.execute(db);
      await publish(a);
      await until(
        'each had its first attempt',
        async () => (await statuses(db))['PENDING'] === 2 * EVENTS_PER_WAVE,
        WITHIN_MS,
        LOOK_MS,
      );

      // Fresh ones and retries together, and replays of what is delivered; in the middle of it the sender is gone.
      gauge.status = 200;
      await sql`update webhook_deliveries set next_attempt_at = now()`.execute(db);
      await publish(b);
      await until('some are delivered', async () => ((await statuses(db))['DELIVERED'] ?? 0) > 20, WITHIN_MS, LOOK_MS);
      const { rows } = await sql<{
        id: string;
      }>`select id from webhook_deliveries where status = 'DELIVERED' limit 20`.execute(db);
      const sender = await holderOf(db, nodes);
      assert.ok(sender);
      const other = sender === a ? b : a;
      for (const [i, { id }] of rows.entries()) {
        if (i === 10) process.kill(sender.process.pid, signal);
        await other.process.call('POST', `/v1/webhooks/deliveries/${id}/replay`, undefined, merchant.key);
      }
      await publish(other);
      await until('the other one sends', async () => (await holderOf(db, nodes)) === other, WITHIN_MS, LOOK_MS);
      const before = gauge.count('/cap') + gauge.count('/rate');
      if (signal === 'SIGSTOP') process.kill(sender.process.pid, 'SIGCONT');
      const expected = 6 * EVENTS_PER_WAVE + rows.length;
      await until(
        'all of it is delivered',
        async () => (await statuses(db))['DELIVERED'] === expected,
        WITHIN_MS,
        LOOK_MS,
      );
      assert.ok(gauge.count('/cap') + gauge.count('/rate') > before);
      assert.deepEqual(await statuses(db), { DELIVERED: expected });
      assert.ok((gauge.most.get('/cap') ?? 0) <= CAP, `${gauge.most.get('/cap')} at once`);
      // A bucket holds a second of the rate.
      for (const seconds of [1, 2, 4]) {
        const most = gauge.mostWithin('/rate', seconds * 1000);
        assert.ok(most <= RATE * (seconds + 1), `${most} within ${seconds} s`);
      }
      const attempts = gauge.count('/cap') + gauge.count('/rate');
      const needed = expected + 2 * EVENTS_PER_WAVE;
      assert.ok(attempts - needed <= 2 * (CAP + 16), `${attempts - needed} came twice`);
      process.stdout.write(
        `${signal}: ${attempts} attempts, ${attempts - needed} of them twice; at once ${gauge.most.get('/cap')}, within a second ${gauge.mostWithin('/rate', 1000)}\n`,
      );
      await database.close();
    },
  );
}
