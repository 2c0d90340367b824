import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createNameResolver, shared, type NameResolver } from './resolver.ts';
import { startNameServer, type Zone } from './test-name-server.ts';

function resolverAt(t: TestContext, server: string, systemNames = false): NameResolver {
  const resolver = createNameResolver({ systemNames, servers: [server] });
  t.after(() => resolver.close());
  return resolver;
}

const ZONE: Zone = {
  'both.example': ['192.0.2.7', '2001:db8::7'],
  'four.example': ['192.0.2.4'],
  'empty.example': [],
  'refused.example': { code: 5 },
};

test('all addresses of both families are found', async (t) => {
  const { address: server } = await startNameServer(t, ZONE);
  const { resolve } = resolverAt(t, server);
  assert.deepEqual(await resolve('both.example'), ['192.0.2.7', '2001:db8::7']);
  assert.deepEqual(await resolve('four.example'), ['192.0.2.4']);
});

test('no such name, no record and no service are DNS failures that differ in their words', async (t) => {
  const { address: server } = await startNameServer(t, ZONE);
  const { resolve } = resolverAt(t, server);
  const absent = { errorClass: 'DNS', message: 'the host name does not exist' };
  await assert.rejects(resolve('unknown.example'), absent);
  await assert.rejects(resolve('empty.example'), absent);
  await assert.rejects(resolve('refused.example'), {
    errorClass: 'DNS',
    message: 'the host name could not be resolved (EREFUSED)',
  });
});

test('the system is asked about names that DNS does not know only where that is wanted', async (t) => {
  const { address: server } = await startNameServer(t, ZONE);
  await assert.rejects(resolverAt(t, server).resolve('localhost'), { errorClass: 'DNS' });
  const found = await resolverAt(t, server, true).resolve('localhost');
  assert.ok(found.some((address) => address === '127.0.0.1' || address === '::1'));
});

test('a burst of questions about one name is one query, and a later one asks again', async (t) => {
  const { address: server, queries } = await startNameServer(t, ZONE);
  const { resolve } = resolverAt(t, server);
  await Promise.all(Array.from({ length: 50 }, () => resolve('four.example')));
  assert.deepEqual(queries.toSorted(), ['four.example 1', 'four.example 28']);
  await resolve('four.example');
  assert.equal(queries.length, 4);
});

test('a shared failure reaches everyone who waited and is then forgotten', async () => {
  let asked = 0;
  const resolve = shared(() => (asked++ === 0 ? Promise.reject(new Error('down')) : Promise.resolve(['192.0.2.1'])));
  const settled = await Promise.allSettled([resolve('a.example'), resolve('a.example')]);
  assert.deepEqual(
    settled.map((result) => result.status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await resolve('a.example'), ['192.0.2.1']);
});
