import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test, type TestContext } from 'node:test';
import { createNameResolver, shared, type NameResolver } from './resolver.ts';

const A = 1;
const AAAA = 28;
type Zone = Record<string, { code?: number; [A]?: string; [AAAA]?: string }>;

/** A name server for a zone of at most one record per type; other names do not exist. */
async function startNameServer(t: TestContext, zone: Zone): Promise<{ server: string; queries: string[] }> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += 1 + (query[at] ?? 0))
      labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
    const name = labels.join('.').toLowerCase();
    const type = query.readUInt16BE(end + 1);
    queries.push(`${name} ${type}`);
    const known = zone[name];
    const address = type === A ? known?.[A] : known?.[AAAA];
    const data = address
      ? Buffer.from(address.split('.').length === 4 ? address.split('.').map(Number) : Buffer.from(address, 'hex'))
      : null;
    const reply = Buffer.from(query.subarray(0, end + 5));
    reply.writeUInt16BE(0x8180 | (known ? (known.code ?? 0) : 3), 2);
    reply.writeUInt16BE(data ? 1 : 0, 6);
    reply.writeUInt16BE(0, 10);
    const record = data
      ? Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data])
      : Buffer.alloc(0);
    socket.send(Buffer.concat([reply, record]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { server: `127.0.0.1:${socket.address().port}`, queries };
}

function resolverAt(t: TestContext, server: string, systemNames = false): NameResolver {
  const resolver = createNameResolver({ systemNames, servers: [server] });
  t.after(() => resolver.close());
  return resolver;
}

const ZONE: Zone = {
  'both.example': { [A]: '192.0.2.7', [AAAA]: '20010db8000000000000000000000007' },
  'four.example': { [A]: '192.0.2.4' },
  'empty.example': {},
  'refused.example': { code: 5 },
};

test('all addresses of both families are found', async (t) => {
  const { server } = await startNameServer(t, ZONE);
  const { resolve } = resolverAt(t, server);
  assert.deepEqual(await resolve('both.example'), ['192.0.2.7', '2001:db8::7']);
  assert.deepEqual(await resolve('four.example'), ['192.0.2.4']);
});

test('no such name, no record and no service are DNS failures that differ in their words', async (t) => {
  const { server } = await startNameServer(t, ZONE);
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
  const { server } = await startNameServer(t, ZONE);
  await assert.rejects(resolverAt(t, server).resolve('localhost'), { errorClass: 'DNS' });
  const found = await resolverAt(t, server, true).resolve('localhost');
  assert.ok(found.some((address) => address === '127.0.0.1' || address === '::1'));
});

test('a burst of questions about one name is one query, and a later one asks again', async (t) => {
  const { server, queries } = await startNameServer(t, ZONE);
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
