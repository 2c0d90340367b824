import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../src/lib/clock.ts';
import { loadMigrations } from '../src/platform/db/index.ts';
import { rowsOf } from './helpers/ask.ts';
import { startChild } from './helpers/child.ts';
import { until } from './helpers/engine.ts';
import type { Node } from './helpers/nodes.ts';
import { arrivedAt, eventFor, MASTER_KEY, type PooledNodes, startPooledNodes } from './helpers/pooled-nodes.ts';
import { needsPooler } from './helpers/pooler.ts';
import { Publisher, publishJobs } from './helpers/publisher.ts';
import { TradeRun } from './helpers/trade-run.ts';
import { signatureOf } from './helpers/trading.ts';

/** Connections of PostgreSQL for two nodes with a pool of ten each. */
const SIZE = 4;
const CLIENTS = 64;
const POSTS = '/v1/blog/manage/posts';
const DISTURBED_EVENTS = 3000;

const say = (text: string): void => void process.stdout.write(`behind PgBouncer: ${text}\n`);

async function publishPost({ here, site }: PooledNodes, title: string): Promise<string> {
  const body = { title, body: 'A lamp beside the harbour.', category: 'News', tags: ['one'] };
  const { id } = await here.process.call('POST', POSTS, body, site.editor);
  await here.process.call('POST', `${POSTS}/${id}/publish`, {}, site.editor);
  return id;
}

describe('behind PgBouncer in transaction mode', needsPooler, async () => {
  if (needsPooler.skip !== false) return;
  const world = await startPooledNodes(SIZE);
  const { direct, pooler, here, there, site, operator, platform, merchant } = world;

  test('two nodes that begin together on an empty database migrate it once', async () => {
    const [row] = await rowsOf(direct, 'select count(*)::int as n from schema_migrations');
    assert.equal(row?.n, (await loadMigrations()).length);
  });

  test('what a writer changes is public here at once, on the other node within a second, and found', async () => {
    const titles = async ({ process }: Node, query = ''): Promise<string[]> =>
      (await process.call('GET', `/v1/blog/posts${query}`, undefined, site.apiKey)).data.map(
        (post: { title: string }) => post.title,
      );
    await Promise.all([titles(here), titles(there)]);
    await publishPost(world, 'Harbour');
    assert.deepEqual(await titles(here), ['Harbour']);
    await until('on the other node', async () => (await titles(there))[0] === 'Harbour', 1000);
    assert.deepEqual(await titles(there, '?q=lamp'), ['Harbour']);
    assert.deepEqual(await titles(there, '?q=zeppelin'), []);
  });

  test('who signs out on one node is out on the other with the next request', async () => {
    const token = await here.process.operator();
    await there.process.call('GET', '/v1/auth/me', undefined, token);
    await here.process.call('POST', '/v1/auth/sign-out', undefined, token);
    await assert.rejects(there.process.call('GET', '/v1/auth/me', undefined, token), /: 401 /);
  });

  test('an event that is published on either node arrives, signed', async () => {
    for (const [name, { process }] of [
      ['of-here', here],
      ['of-there', there],
    ] as const) {
      await process.call('POST', '/v1/events', eventFor(world, name), platform.key);
      await until(`the event ${name}`, () => arrivedAt(merchant.receiver).has(name), 5000);
    }
    for (const { headers, body } of merchant.receiver.received) {
      const signature = headers['x-service-signature'] as string;
      const at = Number(/^t=(\d+),/.exec(signature)?.[1]) * 1000;
      assert.equal(signature, signatureOf(merchant.secret, body, at));
    }
  });

  test('trades come to their ends, with PgBouncer killed and its connections changed meanwhile', async () => {
    const run = new TradeRun(there.process, 20);
    await run.setUp();
    const running = run.run();
    await until('a third is answered', () => run.answered > run.expected / 3, 60_000);
    await pooler.command('RECONNECT');
    await until('more is answered', () => run.answered > run.expected / 2, 60_000);
    await pooler.kill();
    await pooler.start();
    await running;
    const outcomes = [...(await run.outcomes()).values()] as { status: string }[];
    assert.equal(outcomes.length, 20);
    const count = (status: string): number => outcomes.filter((outcome) => outcome.status === status).length;
    assert.deepEqual([count('COMPLETED'), count('CANCELLED')], [4, 16]);
  });

  test(`${CLIENTS} clients at once are all answered, over ${SIZE} connections`, async () => {
    const slug = 'harbour';
    const views = async (): Promise<number> =>
      (await here.process.call('GET', `/v1/blog/posts/${slug}`, undefined, site.apiKey)).viewCount;
    const before = await views();
    let most = 0;
    const client = async (i: number): Promise<void> => {
      const { process } = i % 2 === 0 ? here : there;
      for (let round = 0; round < 4; round++) {
        await process.call('POST', `/v1/blog/posts/${slug}/view`, undefined, site.apiKey);
        await process.call('PUT', `/v1/blog/posts/${slug}/like`, undefined, i % 3 === 0 ? operator : site.editor);
        await process.call('GET', `/v1/blog/posts?q=lamp&page=${round + 1}`, undefined, site.apiKey);
        await process.call('POST', '/v1/events', eventFor(world, `client-${i}.${round}`), platform.key);
      }
    };
    let ended = false;
    const watching = (async () => {
      while (!ended) {
        const [row] = await rowsOf(
          direct,
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'posthorn'`,
        );
        most = Math.max(most, row?.n as number);
        await new Promise((done) => setTimeout(done, 50));
      }
    })();
    try {
      await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
    } finally {
      ended = true;
      await watching;
    }
    // Two more are those that listen.
    assert.ok(most <= SIZE + 2, `${most} connections of PostgreSQL`);
    await until('every view is counted', async () => (await views()) === before + CLIENTS * 4, 5000);
    await until('every event arrived', () => arrivedAt(merchant.receiver).size >= 2 + CLIENTS * 4, 30_000);
  });

  test('the whole is exported', async () => {
    const linesOf = async (path: string, token: string): Promise<unknown[]> =>
      ((await there.process.call('GET', path, undefined, token)) as string)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    const [row] = await rowsOf(direct, 'select count(*)::int as n from events');
    assert.equal((await linesOf('/v1/events/export', operator)).length, row?.n);
    assert.ok((await linesOf('/v1/blog/manage/export', site.editor)).length > 0);
  });

  test('PgBouncer that is killed, told to reconnect and paused loses nothing of what was answered', async () => {
    const jobs = publishJobs('disturbed', DISTURBED_EVENTS, 1, [merchant.id]);
    const publisher = new Publisher(platform.key, jobs);
    const disturb = async (): Promise<void> => {
      const after = (part: number): Promise<void> =>
        until('so many are answered', () => publisher.answered.size >= DISTURBED_EVENTS * part, 60_000);
      await after(0.2);
      await pooler.kill();
      await new Promise((done) => setTimeout(done, 300));
      await pooler.start();
      await after(0.4);
      await pooler.command('RECONNECT');
      await after(0.6);
      await pooler.command('PAUSE');
      await pooler.command('RESUME');
      await after(0.8);
      await pooler.kill();
      await pooler.start();
    };
    await Promise.all([publisher.run(here.process.port, 8), disturb()]);
    assert.equal(publisher.answered.size, DISTURBED_EVENTS);
    const missing = (): string[] => {
      const seen = arrivedAt(merchant.receiver);
      return [...publisher.answered.keys()].filter((name) => !seen.has(name));
    };
    await until('everything arrived', () => missing().length === 0, 60_000, 50).catch(() => undefined);
    assert.deepEqual(missing(), []);
    const total = [...arrivedAt(merchant.receiver)].filter(([name]) => name.startsWith('disturbed'));
    const twice = total.reduce((sum, [, times]) => sum + times - 1, 0);
    say(`${total.length} events over four disturbances, lost 0, sent again ${twice}, repeated ${publisher.repeated}`);
    const [row] = await rowsOf(
      direct,
      `select count(*)::int as n from events where trade_session_id like 'disturbed-%'`,
    );
    assert.equal(row?.n, DISTURBED_EVENTS, 'a request that was repeated is no second event');
  });

  test('a node without an address for LISTEN says so, and finds what others did by asking', async () => {
    const env = { DATABASE_URL: pooler.through(direct), POSTHORN_MASTER_KEY: MASTER_KEY, LOG_LEVEL: 'info' };
    const { child, url, ended, output } = await startChild(env);
    assert.match(output(), /Set DATABASE_LISTEN_URL to the address of PostgreSQL itself, or NATS_URL/);
    assert.match(output(), /alter role .* set jit = off/);
    const { port } = new URL(url);
    const get = async (path: string): Promise<string> => {
      const headers = { authorization: `Bearer ${site.apiKey}` };
      return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
    };
    await get('/v1/blog/posts');
    const from = systemClock.now();
    await publishPost(world, 'Asked for');
    await until('the post', async () => (await get('/v1/blog/posts')).includes('Asked for'), 2000);
    say(`without LISTEN a change was seen after ${systemClock.now() - from} ms`);
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  });
});
