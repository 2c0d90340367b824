import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookalikes, toldLookalike } from './lookalikes.ts';
import { SETTINGS } from './settings.ts';

const found = (env: Record<string, string>): string[] =>
  lookalikes(env).map(({ name, meant }) => `${name} ${meant ?? '?'}`);

test('a misspelt setting is found, with the one that is meant', () => {
  const env = {
    WEBHOOK_TIMOUT_SECONDS: '5',
    DATABSE_URL: 'x',
    RATE_LIMIT_KEYS: '1',
    SHUTDOWN_SECOND: '3',
    TRUST_PROXIES: 'x',
  };
  assert.deepEqual(found(env), [
    'WEBHOOK_TIMOUT_SECONDS WEBHOOK_TIMEOUT_SECONDS',
    'DATABSE_URL DATABASE_URL',
    'RATE_LIMIT_KEYS RATE_LIMIT_KEY',
    'SHUTDOWN_SECOND SHUTDOWN_SECONDS',
  ]);
  const [timeout] = lookalikes(env);
  assert.equal(
    timeout && toldLookalike(timeout),
    'WEBHOOK_TIMOUT_SECONDS is not a setting of Posthorn; is WEBHOOK_TIMEOUT_SECONDS meant?',
  );
});

test('one that only begins like ours is found, and its value is not told', () => {
  assert.deepEqual(found({ WEBHOOK_TIMEOUT: '5', DATABASE_HOST: 'db', FANOUT_PARTS: '4' }), [
    'WEBHOOK_TIMEOUT ?',
    'DATABASE_HOST ?',
    'FANOUT_PARTS ?',
  ]);
  const [host] = lookalikes({ DATABASE_PASSWORD: 'hunter2' });
  assert.equal(
    host && toldLookalike(host),
    'DATABASE_PASSWORD is not a setting of Posthorn, though it begins like one',
  );
});

test('settings, variables of others, empty ones and those of Kubernetes are not', () => {
  assert.deepEqual(found(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '1']))), []);
  const others = {
    PATH: '/bin',
    HOME: '/',
    PWD: '/',
    SORT: '1',
    SHELL: 'sh',
    LANG: 'C',
    PGHOST: 'x',
    POSTGRES_PASSWORD: 'x',
  };
  const ofKubernetes = {
    REDIS_SERVICE_HOST: '10.0.0.1',
    REDIS_PORT: 'tcp://10.0.0.1:6379',
    NATS_PORT_4222_TCP_ADDR: '10.0.0.2',
  };
  assert.deepEqual(found({ ...others, ...ofKubernetes, WEBHOOK_TIMEOUT: '', POSTHORN_MASTR_KEY: '1' }), []);
});
