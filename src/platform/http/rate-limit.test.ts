import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createClient, type RedisClientType } from '@redis/client';
import { Type } from 'typebox';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { withDatabase } from '../../../test/helpers/database.ts';
import { until } from '../../../test/helpers/engine.ts';
import { httpApp, session } from '../../../test/helpers/http-app.ts';
import { needsRedis, redisUrl } from '../../../test/helpers/services.ts';
import { startProxy } from '../../../test/helpers/tcp-proxy.ts';
import { ManualClock } from '../../lib/clock.ts';
import { createLog } from '../log/log.ts';
import { type CountTogether, createLimiter } from './rate-limit.ts';
import { RedisCounts } from './redis-counts.ts';
import { read, write } from './route.ts';
import { Windows } from './windows.ts';

const database = await withDatabase();
const common = { tag: 'test', summary: 'test' } as const;
const replies = { 204: null };
const routes = [
  read({
    ...common,
    method: 'GET',
    path: '/v1/any',
    operationId: 'any',
    access: 'any',
    schemas: { replies },
    handle: async () => ({ status: 204 }),
  }),
  read({
    ...common,
    method: 'GET',
    path: '/v1/mine',
    operationId: 'mine',
    access: 'session',
    schemas: { replies },
    handle: async () => ({ status: 204 }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/change',
    operationId: 'change',
    access: 'session',
    limit: 'signIn',
    schemas: { replies },
    handle: async () => ({ status: 204 }),
  }),
  write({
    ...common,
    method: 'POST',
    path: '/v1/enter',
    operationId: 'enter',
    access: 'public',
    limit: 'signIn',
    schemas: { body: Type.Object({ email: Type.String() }, { additionalProperties: false }), replies },
    handle: async () => ({ status: 204 }),
  }),
];
const LIMITS = {
  RATE_LIMIT_KEY: '3',
  RATE_LIMIT_SESSION: '2',
  RATE_LIMIT_ANONYMOUS: '5',
  RATE_LIMIT_SIGN_IN: '2',
  TRUST_PROXY: '127.0.0.1/32',
};
const callers = {
  user1: session('user1'),
  user1again: { ...session('user1'), sessionId: 'other' },
  user2: session('user2'),
};
const newApp = (env: Record<string, string> = LIMITS) => httpApp(routes, { database, env, callers });
type App = Awaited<ReturnType<typeof newApp>>;

async function send(app: App, token: string | undefined, { url = '/v1/any', from = '192.0.2.1', email = '' } = {}) {
  const reply = await app.inject({
    method: email === '' ? 'GET' : 'POST',
    url,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), 'x-forwarded-for': from },
    ...(email === '' ? {} : { payload: { email } }),
  });
  return {
    status: reply.statusCode,
    code: reply.body === '' ? undefined : reply.json<{ error: { code: string } }>().error.code,
    headers: reply.headers,
  };
}
const statuses = async (n: number, one: () => Promise<{ status: number }>): Promise<number[]> => {
  const all = [];
  for (let i = 0; i < n; i++) all.push((await one()).status);
  return all;
};

describe('a limit', () => {
  test('is told on every reply, and the request over it is 429 with Retry-After', async () => {
    const app = await newApp();
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push(await send(app, 'key1'));
    assert.deepEqual(
      seen.map((r) => [r.status, r.headers['ratelimit-limit'], r.headers['ratelimit-remaining']]),
      [
        [204, '3', '2'],
        [204, '3', '1'],
        [204, '3', '0'],
        [429, '3', '0'],
      ],
    );
    const last = seen.at(-1);
    assert.equal(last?.code, 'RATE_LIMITED');
    const reset = Number(last?.headers['ratelimit-reset']);
    assert.ok(reset >= 1 && reset <= 60, `ratelimit-reset ${reset}`);
    assert.equal(last?.headers['retry-after'], String(reset));
  });

  test('is of one key, not of all', async () => {
    const app = await newApp();
    assert.deepEqual(await statuses(4, () => send(app, 'key1')), [204, 204, 204, 429]);
    assert.equal((await send(app, 'key2')).status, 204);
  });

  test('is of a user, over all of the user’s sessions', async () => {
    const app = await newApp();
    assert.deepEqual(await statuses(2, () => send(app, 'user1')), [204, 204]);
    assert.equal((await send(app, 'user1again')).status, 429);
    assert.equal((await send(app, 'user2')).status, 204);
  });

  test('of a key counts refusals of what the key may not do as well', async () => {
    const app = await newApp();
    assert.deepEqual(await statuses(4, () => send(app, 'key1', { url: '/v1/mine' })), [401, 401, 401, 429]);
  });
});

describe('wrong credentials', () => {
  test('are limited by address, and never lock out a right one from there', async () => {
    const app = await newApp();
    assert.deepEqual(await statuses(6, () => send(app, 'wrong')), [401, 401, 401, 401, 401, 429]);
    assert.equal((await send(app, undefined)).status, 429);
    const enter = { url: '/v1/enter', email: 'a@example.com' };
    assert.equal((await send(app, undefined, enter)).status, 204, 'sign-in from the same address');
    assert.equal((await send(app, 'key1')).status, 204);
    assert.equal((await send(app, 'user1')).status, 204);
  });

  test('from one address do not count for another one', async () => {
    const app = await newApp();
    await statuses(6, () => send(app, 'wrong'));
    assert.equal((await send(app, 'wrong', { from: '192.0.2.2' })).status, 401);
  });
});

describe('sign-in', () => {
  const enter = (app: App, email: string, from?: string) =>
    send(app, undefined, { url: '/v1/enter', email, ...(from ? { from } : {}) });

  test('is limited per address and account, whatever the case of the letters', async () => {
    const app = await newApp({ ...LIMITS, RATE_LIMIT_ANONYMOUS: '100' });
    assert.deepEqual(await statuses(2, () => enter(app, 'a@example.com')), [204, 204]);
    assert.equal((await enter(app, 'A@Example.com')).status, 429);
    assert.equal((await enter(app, 'b@example.com')).status, 204);
    assert.equal((await enter(app, 'a@example.com', '192.0.2.2')).status, 204);
  });
});

test('a caller’s own password tries do not count for others behind the same address', async () => {
  const app = await newApp({ ...LIMITS, RATE_LIMIT_SESSION: '100' });
  const change = async (token: string) =>
    (await app.inject({ method: 'POST', url: '/v1/change', headers: { authorization: `Bearer ${token}` } })).statusCode;
  assert.deepEqual([await change('user1'), await change('user1'), await change('user1again')], [204, 204, 429]);
  assert.equal(await change('user2'), 204);
});

describe('two nodes', () => {
  /** A client of the real Redis, alone with its keys. */
  async function redisClient(url = redisUrl ?? ''): Promise<RedisClientType> {
    const client: RedisClientType = createClient({ url, disableOfflineQueue: true });
    client.on('error', () => undefined);
    await client.connect();
    cleanup(() => client.isOpen && client.destroy());
    return client;
  }

  test('count together with Redis', needsRedis, async () => {
    const who = `test-${randomUUID()}`;
    const caller = session(who);
    const nodes = [];
    for (let i = 0; i < 2; i++) {
      nodes.push(
        await httpApp(routes, {
          database,
          env: { ...LIMITS, RATE_LIMIT_SESSION: '3' },
          callers: { shared: caller },
          redis: await redisClient(),
        }),
      );
    }
    const [one, two] = nodes as [App, App];
    assert.deepEqual(
      [
        await send(one, 'shared'),
        await send(two, 'shared'),
        await send(one, 'shared'),
        await send(two, 'shared'),
        await send(one, 'shared'),
      ].map((r) => r.status),
      [204, 204, 204, 429, 429],
    );
  });

  test('count each for itself while Redis is away, and go on', needsRedis, async () => {
    const client = await redisClient();
    const redis = new RedisCounts(client, createLog('silent'));
    const limiter = createLimiter(`test-${randomUUID()}`, 2, { redis });
    assert.equal((await limiter.take('x')).remaining, 1);
    client.destroy();
    assert.deepEqual(
      [(await limiter.take('x')).allowed, (await limiter.take('x')).allowed, (await limiter.take('x')).allowed],
      [true, true, false],
    );
  });

  /** A limit of a node, counted in the real Redis by way of a proxy, and what the log of the node tells. */
  async function watched() {
    const { hostname, port } = new URL(redisUrl ?? '');
    const proxy = await startProxy(hostname, Number(port) || 6379);
    const lines: string[] = [];
    const log = createLog('info', {
      write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg),
    });
    const clock = new ManualClock();
    const redis = new RedisCounts(await redisClient(`redis://127.0.0.1:${proxy.port}`), log, () => clock.now());
    const name = `test-${randomUUID()}`;
    const inRedis = (who: string): string => `posthorn:limit:${name}:${who}`;
    return { limiter: createLimiter(name, 1000, { redis }), redis, proxy, clock, lines, inRedis };
  }
  const AWAY = 'Redis does not count; this node counts rate limits for itself';
  const BACK = 'Redis counts again; rate limits are shared';

  test('wait once for a Redis that hangs, and count for themselves until it answers', needsRedis, async () => {
    const { limiter, redis, proxy, clock, lines, inRedis } = await watched();
    const remaining = async (): Promise<number> => (await limiter.take('x')).remaining;
    assert.equal(await remaining(), 999);
    proxy.hang();
    assert.deepEqual(await Promise.all([remaining(), remaining()]), [999, 998]);
    assert.deepEqual(lines, [AWAY]);
    clock.advance(3_600_000);
    for (let i = 3; i <= 50; i++) assert.equal(await remaining(), 1000 - i);
    proxy.resume();
    await until('all of it is answered', () => redis.isSound);
    assert.equal(await (await redisClient()).get(inRedis('x')), '3', 'what else was asked meanwhile');
    assert.equal(await remaining(), 996);
    assert.deepEqual(lines, [AWAY, BACK]);
  });

  test(
    'ask a Redis that refuses once a second, and tell of it once, until it has counted for a minute',
    needsRedis,
    async () => {
      const { limiter, redis, clock, lines, inRedis } = await watched();
      const other = await redisClient();
      // A counter that is none: refused as everything is where there is no room.
      await other.hSet(inRedis('x'), 'a', '1');
      const take = (who: string) => limiter.take(who);
      assert.equal((await take('x')).allowed, true);
      assert.equal(redis.isSound, false);
      await take('y');
      assert.equal(await other.exists(inRedis('y')), 0);
      clock.advance(1000);
      await take('y');
      assert.equal(await other.get(inRedis('y')), '1');
      await take('x');
      clock.advance(59_999);
      await take('y');
      assert.deepEqual(lines, [AWAY], 'it may fail again');
      clock.advance(1);
      await take('y');
      await take('x');
      assert.deepEqual(lines, [AWAY, BACK, AWAY]);
      await other.del(inRedis('x'));
    },
  );

  test('without Redis count each for itself', async () => {
    const [one, two] = [await newApp(), await newApp()];
    assert.deepEqual(await statuses(4, () => send(one, 'key1')), [204, 204, 204, 429]);
    assert.equal((await send(two, 'key1')).status, 204);
  });
});

describe('two processes of one machine', () => {
  test('count together, and each for itself while nobody answers', async () => {
    const windows = new Windows(60_000, () => 0);
    let answers = true;
    const together: CountTogether = async (limiter, who) => (answers ? windows.count(`${limiter} ${who}`) : null);
    const [one, two] = [createLimiter('sign-in', 2, { together }), createLimiter('sign-in', 2, { together })];
    const took = await Promise.all([one.take('x'), two.take('x'), one.take('x'), two.take('y')]);
    assert.deepEqual(
      took.map((result) => [result.allowed, result.remaining, result.resetSeconds]),
      [
        [true, 1, 60],
        [true, 0, 60],
        [false, 0, 60],
        [true, 1, 60],
      ],
    );
    answers = false;
    assert.deepEqual([(await one.take('x')).allowed, (await two.take('x')).allowed], [true, true]);
  });

  test('do not ask about the limit of an API key', async () => {
    const asked: string[] = [];
    const countTogether: CountTogether = async (limiter) => {
      asked.push(limiter);
      return { count: 1, endsInMs: 1000 };
    };
    const app = await httpApp(routes, { database, env: LIMITS, callers, countTogether });
    assert.deepEqual(await statuses(4, () => send(app, 'key1')), [204, 204, 204, 429]);
    assert.deepEqual(asked, []);
    await send(app, 'user1');
    await send(app, undefined, { url: '/v1/enter', email: 'a@example.com' });
    await send(app, 'wrong');
    assert.deepEqual(asked, ['session', 'anonymous', 'sign-in', 'failed']);
  });
});
