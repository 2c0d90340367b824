import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../scripts/lib/postgres.ts';
import { cleanup } from '../../test/helpers/cleanup.ts';
import { until } from '../../test/helpers/engine.ts';
import { ServerProcess } from '../../test/helpers/server-process.ts';
import { isThere, needsRedis, redisServerPath, redisUrl } from '../../test/helpers/services.ts';
import { startProxy } from '../../test/helpers/tcp-proxy.ts';
import { createLog } from '../platform/log/log.ts';
import { openRedis } from './open-redis.ts';

/** What is logged into the list. */
const logInto = (lines: string[]) =>
  createLog('info', { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });

test('a Redis that is away is told once, and once that it is back, however often it is tried', needsRedis, async () => {
  const { hostname, port } = new URL(redisUrl ?? '');
  const proxy = await startProxy(hostname, Number(port) || 6379);
  await proxy.close();
  const lines: string[] = [];
  const log = logInto(lines);
  let tries = 0;
  const client = await openRedis(`redis://127.0.0.1:${proxy.port}`, log);
  cleanup(() => client.destroy());
  client.on('error', () => tries++);
  await until('it was tried again and again', () => tries >= 2);
  const away = 'Redis is not reachable; this node counts rate limits for itself';
  assert.deepEqual(lines, [away]);
  await proxy.listen();
  await until('it is there again', () => client.isReady);
  assert.deepEqual(lines, [away, 'Redis can be used again; rate limits are shared']);
  proxy.cut();
  await until('it was there once more', () => lines.length > 2 && client.isReady);
  assert.equal(lines[2], away);
});

test(
  'one that refuses the password, or has no such database, is not told as one that is away',
  needsRedis,
  async () => {
    for (const [user, database] of [
      ['nobody:wrong@', ''],
      ['', '/1000000'],
    ]) {
      const lines: string[] = [];
      const { host } = new URL(redisUrl ?? '');
      const client = await openRedis(`redis://${user}${host}${database}`, logInto(lines));
      cleanup(() => client.destroy());
      assert.deepEqual(lines, [
        'Redis answers, but refuses this node, which counts rate limits for itself: are user, password and database of REDIS_URL right?',
      ]);
    }
  },
);

test('one that has no room for another client is not told as one that knows the node not, and is used once it has', {
  skip: isThere(redisServerPath) ? false : 'redis-server is not installed',
}, async () => {
  const port = await freePort();
  const flags = ['--bind', '127.0.0.1', '--port', String(port), '--maxclients', '1', '--save', ''];
  const server = new ServerProcess(redisServerPath as string, flags, port);
  cleanup(() => server.kill());
  await server.start();
  const lines: string[] = [];
  const url = `redis://127.0.0.1:${port}`;
  const first = await openRedis(url, logInto([]));
  await until('the first is connected', () => first.isReady);
  const second = await openRedis(url, logInto(lines));
  cleanup(() => second.destroy());
  const unable = 'Redis answers with an error; until it can be used, this node counts rate limits for itself';
  assert.deepEqual(lines, [unable]);
  first.destroy();
  await until('there is room', () => second.isReady);
  assert.deepEqual(lines, [unable, 'Redis can be used again; rate limits are shared']);
});
