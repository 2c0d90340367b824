import assert from 'node:assert/strict';
import { createSecureContext } from 'node:tls';
import { test, type TestContext } from 'node:test';
import { createAddressRules } from './address-rules.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';
import type { OutboundOutcome } from './index.ts';
import { answering, LOOPBACK, silent, startReceiver, target, until } from './test-receiver.ts';

function poolFor(t: TestContext, keepAliveMs: number): ConnectionPool {
  const connector = {
    rules: createAddressRules(LOOPBACK.allowedTargets),
    resolve: () => Promise.resolve(['10.0.0.1']),
    secureContext: () => createSecureContext(),
  };
  const pool = new ConnectionPool({
    connector,
    connectionsPerOrigin: 2,
    keepAliveMs,
    maxIdleConnections: 100,
    patienceMs: 50,
  });
  t.after(() => pool.close());
  return pool;
}

function sendOver(pool: ConnectionPool, url: string, deadlineMs = 5000): Promise<OutboundOutcome> {
  return new Promise((resolve) =>
    pool.run(new Exchange({ url: target(url), headers: [], body: '', deadlineMs }, resolve)),
  );
}

test('an origin is forgotten with its last connection, however that ended', async (t) => {
  const pool = poolFor(t, 20);
  const good = await startReceiver(t, answering(200));
  const closing = await startReceiver(t, answering(200, '', 'connection: close\r\n'));
  const resetting = await startReceiver(t, (socket) => void socket.resetAndDestroy());
  const hanging = await startReceiver(t, silent);
  const outcomes = await Promise.all([
    ...Array.from({ length: 10 }, () => sendOver(pool, good.url)),
    ...Array.from({ length: 10 }, () => sendOver(pool, closing.url)),
    ...Array.from({ length: 10 }, () => sendOver(pool, resetting.url)),
    ...Array.from({ length: 10 }, () => sendOver(pool, hanging.url, 30)),
    ...Array.from({ length: 10 }, () => sendOver(pool, 'http://blocked.example/')),
    ...Array.from({ length: 10 }, () => sendOver(pool, 'http://127.0.0.1:1/')),
  ]);
  const classes = new Set(
    outcomes.map((outcome) => (outcome.kind === 'failure' ? outcome.errorClass : outcome.status)),
  );
  assert.deepEqual([...classes].map(String).toSorted(), ['200', 'BLOCKED_TARGET', 'CONNECT', 'RESET', 'TIMEOUT']);
  assert.equal(good.sockets.length, 2);
  await until(() => pool.size === 0);
  assert.equal(pool.idle.size, 0);
});

test('a request that was given up while it waited opens no connection', async (t) => {
  const pool = poolFor(t, 1000);
  const receiver = await startReceiver(t, silent);
  const stuck = [60, 60].map((deadlineMs) => sendOver(pool, receiver.url, deadlineMs));
  const waiting = Array.from({ length: 10 }, () => sendOver(pool, receiver.url, 30));
  await Promise.all([...stuck, ...waiting]);
  assert.equal(pool.size, 0);
  await until(() => receiver.open() === 0);
  assert.equal(receiver.sockets.length, 2);
});

test('a settled request leaves no timer behind', async (t) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const pool = poolFor(t, 1000);
  const receiver = await startReceiver(t, answering(200));
  const before = timers();
  for (let i = 0; i < 10; i++) await sendOver(pool, receiver.url, 60_000);
  assert.ok(timers() < before + 10, `${before} → ${timers()}`);
});
