import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from './helpers/database.ts';
import { PASSWORD, testService } from './helpers/service.ts';
import { needsRedis, redisUrl } from './helpers/services.ts';

test('two services with one Redis count one limit', needsRedis, async () => {
  const database = await withDatabase();
  const env = { RATE_LIMIT_KEY: '3', REDIS_URL: redisUrl ?? '' };
  const one = await testService({ database, env, withoutLoops: true });
  const two = await testService({ database, env, withoutLoops: true });
  const { key } = await one.key(['blog:read']);
  const remaining = [];
  for (const service of [one, two, one]) {
    const reply = await service.call('GET', '/v1/blog/posts', { token: key });
    remaining.push([reply.status, reply.headers.get('ratelimit-remaining')]);
  }
  assert.deepEqual(remaining, [
    [200, '2'],
    [200, '1'],
    [200, '0'],
  ]);
  for (const service of [two, one]) {
    const reply = await service.refused('RATE_LIMITED', 'GET', '/v1/blog/posts', { token: key });
    assert.ok(Number(reply.headers.get('retry-after')) >= 1);
  }
});

test('sign-in is limited for an account, and the next one is not', async () => {
  const service = await testService({ env: { RATE_LIMIT_SIGN_IN: '4' }, withoutLoops: true });
  const { email } = await service.user();
  const enter = (password: string) => ({ body: { email, password } });
  for (let i = 0; i < 3; i++) await service.refused('UNAUTHENTICATED', 'POST', '/v1/auth/sign-in', enter('wrong'));
  await service.refused('RATE_LIMITED', 'POST', '/v1/auth/sign-in', enter(PASSWORD));
  await service.user();
});
