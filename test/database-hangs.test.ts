import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from 'pg';
import { monotonicNow } from '../src/lib/clock.ts';
import { loadMigrations, migrate, openPostgres } from '../src/platform/db/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { type TestService, testService } from './helpers/service.ts';
import { startProxy, type TcpProxy } from './helpers/tcp-proxy.ts';

const POOL = 3;

/** A service whose way to PostgreSQL is a proxy. */
async function behindProxy(limits: Parameters<typeof openPostgres>[2]): Promise<[TestService, TcpProxy]> {
  const direct = new URL(await emptyPostgres());
  const proxy = await startProxy(direct.hostname, Number(direct.port || 5432));
  const url = new URL(direct);
  url.host = `127.0.0.1:${proxy.port}`;
  const database = await openPostgres(url.href, POOL, limits);
  cleanup(() => database.close());
  await migrate(database.db, await loadMigrations());
  const service = await testService({ database, withoutLoops: true });
  // Before it is stopped: it would wait for answers that never come.
  cleanup(() => proxy.cut());
  return [service, proxy];
}

describe('a database that takes connections and never answers', onlyPostgres, () => {
  test('is 503 for every request that needs it, reading or writing, and serves again when it answers', async () => {
    const [service, proxy] = await behindProxy({ queryTimeoutMs: 300, connectTimeoutMs: 300 });
    const token = await service.operator();
    const body = { name: 'Shop', type: 'MERCHANT' };
    proxy.hang();
    const requests = Array.from({ length: 2 * POOL }, (_, i) =>
      i % 2 === 0
        ? service.refused('UNAVAILABLE', 'GET', '/v1/auth/me', { token })
        : service.refused('UNAVAILABLE', 'POST', '/v1/admin/accounts', { token, body }),
    );
    for (const reply of await Promise.all(requests)) {
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '2']);
    }
    proxy.resume();
    await until('it serves again', async () => (await service.call('GET', '/v1/auth/me', { token })).status === 200);
    await service.ok(201, 'POST', '/v1/admin/accounts', { token, body });
  });

  test('in the middle of a transaction is 503, and nothing of it is kept', async () => {
    const [service] = await behindProxy({ queryTimeoutMs: 300, connectTimeoutMs: 300 });
    const token = await service.operator();
    const accounts = async (): Promise<unknown> =>
      (await service.ok(200, 'GET', '/v1/admin/accounts', { token }))['total'];
    const before = await accounts();
    const holder = (await service.service.opened.platform.database.connect?.()) as Client;
    await holder.query('begin; lock table accounts in share mode');
    const body = { name: 'Shop', type: 'MERCHANT' };
    await service.refused('UNAVAILABLE', 'POST', '/v1/admin/accounts', { token, body });
    // The server is still at it: what it does once it may is undone, since its client is gone.
    await holder.query('commit');
    await holder.end();
    await service.ok(201, 'POST', '/v1/admin/accounts', { token, body });
    assert.equal(await accounts(), Number(before) + 1);
  });

  test('is not ready within about two seconds, though a query may take thirty; the process itself is well', async () => {
    const [service, proxy] = await behindProxy({});
    await service.ok(200, 'GET', '/readyz');
    proxy.hang();
    const from = monotonicNow();
    const probes = Array.from({ length: 4 * POOL }, () => service.ok(503, 'GET', '/readyz'));
    await service.ok(200, 'GET', '/healthz');
    for (const body of await Promise.all(probes)) assert.deepEqual(body, { status: 'not ready' });
    assert.ok(monotonicNow() - from < 6000, 'far from the 10 s for a connection and the 30 s of a query');
    proxy.resume();
    await until('it is ready again', async () => (await service.call('GET', '/readyz')).status === 200);
  });
});
