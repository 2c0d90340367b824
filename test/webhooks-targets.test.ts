import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startNameServer, type Zone } from '../src/platform/outbound/test-name-server.ts';
import { answering, startReceiver, until as untilTurn } from '../src/platform/outbound/test-receiver.ts';
import { cleanup } from './helpers/cleanup.ts';
import targets from './data/hostile-targets.json' with { type: 'json' };
import { withDatabase } from './helpers/database.ts';
import { startNode, type Tenant, type TestNode } from './helpers/engine.ts';

/** Nothing but public addresses may be reached, as in production. */
const PRODUCTION = { POSTHORN_ENV: 'production', WEBHOOK_MAX_ENDPOINTS: '1000', WEBHOOK_TIMEOUT_SECONDS: '5' };
/** A receiver there stands for one on the internet, where a test permits it alone. */
const PERMITTED = '127.0.0.2';

const database = await withDatabase();
const atEnd = { after: cleanup };

/** What came to one port of this machine, at whichever of its addresses. */
interface Listener {
  port: number;
  sockets: Socket[];
}

/** On every address of both families; each connection is kept and never answered. */
async function startListener(): Promise<Listener> {
  const listener: Listener = { port: 0, sockets: [] };
  for (const host of ['0.0.0.0', '::']) {
    const server = createServer((socket) => void listener.sockets.push(socket.on('error', () => undefined)));
    server.listen({ host, port: listener.port, ipv6Only: true });
    await once(server, 'listening');
    listener.port = (server.address() as AddressInfo).port;
    cleanup(() => {
      for (const socket of listener.sockets) socket.destroy();
      server.close();
    });
  }
  return listener;
}

/** This machine's addresses besides loopback, as a URL has them. */
const OWN = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

const urlsAt = (port: number, hosts: readonly string[]): string[] => hosts.map((host) => `https://${host}:${port}/`);
const literalsAt = (port: number): string[] => [
  ...urlsAt(port, [...Object.values(targets.literals).flat(), ...OWN]),
  ...Object.values(targets.urls)
    .flat()
    .map((url) => url.replace('{port}', String(port))),
];
const namesAt = (port: number): string[] => urlsAt(port, Object.keys(targets.names));

/** A name server with the names of the corpus; asked for by what the URL standard makes of a name. */
const zone: Zone = Object.fromEntries(
  Object.entries(targets.names).map(([name, addresses]) => [
    new URL(`https://${name}`).hostname.replace(/\.$/, ''),
    addresses,
  ]),
);
const nameServer = await startNameServer(atEnd, zone);
const start = (settings: Record<string, string>): Promise<TestNode> =>
  startNode({ database, settings: { ...PRODUCTION, POSTHORN_NAME_SERVERS: nameServer.address, ...settings } });

interface Attempted {
  url: string;
  status: string;
  log: { errorClass: string; errorMessage: string; responseStatus: number | null }[];
}

/** What became of one event at every endpoint of the account. */
async function deliver(node: TestNode, tenant: Tenant): Promise<Attempted[]> {
  await node.publish(await node.tenant('PLATFORM'), [tenant]);
  await node.work();
  await node.engine.fanOut.release();
  const { data } = await node.ok(200, 'GET', '/v1/webhooks/deliveries?limit=100', { key: tenant.key });
  return Promise.all(
    (data as { id: string }[]).map(({ id }) => node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, tenant)),
  );
}

const BLOCKED = [
  ['BLOCKED_TARGET', 'the target is not a public address'],
  ['BLOCKED_TARGET', 'the address of the endpoint may not be reached'],
].map(([errorClass, errorMessage]) => `PENDING ${errorClass} ${errorMessage}`);

function assertBlocked(attempted: readonly Attempted[], count: number): void {
  const wrong = attempted.filter(({ status, log: [attempt] }) => {
    return !BLOCKED.includes(`${status} ${attempt?.errorClass} ${attempt?.errorMessage}`);
  });
  assert.deepEqual([wrong, attempted.length], [[], count]);
}

test('the listener would see a connection to any address of this machine', async () => {
  const { port, sockets } = await startListener();
  const hosts = ['127.0.0.1', PERMITTED, '::1', ...OWN.map((host) => host.replaceAll(/[[\]]/g, ''))];
  for (const host of hosts) (await connected(host, port)).destroy();
  await untilTurn(() => sockets.length === hosts.length);
});

async function connected(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port });
  await once(socket, 'connect');
  return socket;
}

test('in production no target of the corpus is taken at creation, or none is reached', async () => {
  const node = await start({});
  const { port, sockets } = await startListener();
  const [literals, names] = [literalsAt(port), namesAt(port)];
  assert.ok(literals.length + names.length >= 120 && new Set([...literals, ...names]).size >= 120);
  const tenant = await node.tenant();
  for (const url of literals) {
    const { status, body } = await node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body: { url } });
    assert.deepEqual([url, status, body.error?.code], [url, 400, 'VALIDATION_ERROR']);
  }
  for (const url of names) await node.endpoint(tenant, url);
  const attempted = await deliver(node, tenant);
  assertBlocked(attempted, names.length);
  const asked = new Set(nameServer.queries.map((query) => query.split(' ', 1).join()));
  assert.deepEqual([...asked].toSorted(), Object.keys(zone).toSorted(), 'each name was asked for over DNS');
  assert.deepEqual(
    sockets.map((socket) => socket.localAddress),
    [],
  );
});

/** Endpoints that were stored while other targets were permitted. */
async function stored(node: TestNode, tenant: Tenant, urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const { id } = await node.endpoint(tenant, 'https://hooks.example/');
    await sql`update webhook_endpoints set url = ${url} where id = ${id}`.execute(node.db);
    // A change that the engine hears of.
    await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${id}`, { key: tenant.key, body: { description: 'Stored' } });
  }
}

test('what was stored under other rules is held back when it is sent', async () => {
  const node = await start({});
  const { port, sockets } = await startListener();
  // No database of ours takes a NUL.
  const literals = literalsAt(port).filter((url) => !url.includes('\0'));
  for (let at = 0; at < literals.length; at += 100) {
    const some = literals.slice(at, at + 100);
    const tenant = await node.tenant();
    await stored(node, tenant, some);
    assertBlocked(await deliver(node, tenant), some.length);
  }
  assert.equal(sockets.length, 0);
});

test('where loopback is permitted the same targets do reach the listener: the corpus is not hollow', async () => {
  const node = await start({ POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8,0.0.0.0,::1', WEBHOOK_TIMEOUT_SECONDS: '1' });
  const { port, sockets } = await startListener();
  const tenant = await node.tenant();
  let taken = 0;
  for (const url of [...literalsAt(port), ...namesAt(port)]) {
    const { status } = await node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body: { url } });
    if (status === 201) taken++;
  }
  await deliver(node, tenant);
  assert.ok(taken >= 70, `${taken} were taken`);
  assert.ok(sockets.length >= 50, `${sockets.length} reached`);
});

test('a name that changes between two looks is looked at once for each connection, and connected as it was then', async (t) => {
  let turn = 0;
  // Good at the first look of even turns only: who looked once more to connect would come to the bad one.
  zone['rebind.hostile.test'] = (nth) => [turn % 2 === 0 && nth === turn ? PERMITTED : '127.0.0.1'];
  const node = await start({ POSTHORN_ENV: 'test', POSTHORN_ALLOWED_TARGETS: `${PERMITTED}/32` });
  const receiver = await startReceiver(
    t,
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
    '0.0.0.0',
  );
  const reached: (string | undefined)[] = [];
  receiver.onConnection = (socket) => reached.push(socket.localAddress);
  const tenant = await node.tenant();
  await node.endpoint(tenant, `http://rebind.hostile.test:${receiver.port}/`);
  const queries = nameServer.queries.length;
  const verdicts: string[] = [];
  for (let i = 0; i < 8; i++) {
    turn = i;
    const [{ status, log } = { status: '', log: [] }] = await deliver(node, tenant);
    verdicts.push(`${status} ${log[0]?.errorClass}`);
  }
  const [good, bad] = ['DELIVERED null', 'PENDING BLOCKED_TARGET'];
  assert.deepEqual(verdicts, [good, bad, good, bad, good, bad, good, bad]);
  assert.deepEqual(reached, Array(4).fill(PERMITTED));
  // A and AAAA, once for each of the connections.
  assert.equal(nameServer.queries.length - queries, 16);
});

test('redirects to the corpus are followed nowhere', async (t) => {
  const node = await start({ POSTHORN_ENV: 'test', POSTHORN_ALLOWED_TARGETS: `${PERMITTED}/32` });
  const { port, sockets } = await startListener();
  const locations = [...literalsAt(port), ...namesAt(port)].flatMap((url) => {
    const plain = url.replaceAll(/[^\x21-\x7e]/gu, (c) => encodeURIComponent(c));
    return [plain, plain.replace('https', 'http')];
  });
  const statuses = [301, 302, 303, 307, 308];
  const receiver = await startReceiver(
    t,
    (socket, nth) => answering(statuses[nth % 5] ?? 0, '', `location: ${locations[nth]}\r\n`)(socket, nth),
    PERMITTED,
  );
  const tenant = await node.tenant();
  const { id } = await node.endpoint(tenant, `http://${PERMITTED}:${receiver.port}/`);
  const publisher = await node.tenant('PLATFORM');
  const events = Array.from({ length: locations.length }, () => ({ event: 'checkout.started' as const }));
  await node.publish(publisher, [tenant], events);
  await node.work();
  const { rows } = await sql<{ verdict: string; count: number }>`
    select status || ' ' || error_class as verdict, count(*)::int as count from webhook_deliveries
    where endpoint_id = ${id}::uuid group by 1`.execute(node.db);
  assert.deepEqual(rows, [{ verdict: 'PENDING HTTP_3XX', count: locations.length }]);
  assert.equal(receiver.requests.length, locations.length);
  assert.equal(sockets.length, 0);
});
