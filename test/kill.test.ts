import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { monotonicNow, systemClock } from '../src/lib/clock.ts';
import { callPort } from './helpers/call.ts';
import { newPlace } from './helpers/child.ts';
import { cleanup } from './helpers/cleanup.ts';
import { testDb } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { ServiceProcess } from './helpers/process.ts';
import { Publisher, type PublishJob, publishJobs } from './helpers/publisher.ts';

/** A kill needs some hundred under way: with fewer than these, one of them would find the last ones answered. */
const EVENTS = 8000;
const ACCOUNTS = 20;
const CONNECTIONS = 8;
/** Parts of the events after which the service is killed; the moment within each is random. */
const KILLS = [0.15, 0.45, 0.75];
/** The embedded database is slower at small commits. */
const SINGLES = testDb === 'pglite' ? 700 : 1600;
const BATCH = 50;

const seed = Number(process.env.KILL_SEED ?? systemClock.now() % 1_000_000);
let state = seed;
/** Repeatable (mulberry32), so that a failing moment can be tried again with KILL_SEED. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
const say = (text: string): void => void process.stdout.write(`kill -9 on ${testDb}: ${text}\n`);

/** Counts deliveries by event id. Nothing else, since it shares the machine with what it measures. */
async function startCounter(): Promise<{ port: number; seen: Map<string, number>; total(): number }> {
  const seen = new Map<string, number>();
  let total = 0;
  const server = createServer((request, response) => {
    const id = request.headers['x-service-event-id'] as string;
    request.resume().on('end', () => {
      seen.set(id, (seen.get(id) ?? 0) + 1);
      total++;
      response.end('ok');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanup(() => (server.closeAllConnections(), server.close()));
  return { port: (server.address() as AddressInfo).port, seen, total: () => total };
}

async function startService(): Promise<ServiceProcess> {
  const service = new ServiceProcess(await newPlace());
  cleanup(() => service.kill());
  await service.start();
  return service;
}

/** Merchants with one endpoint each, and the key that publishes. */
async function setUp(service: ServiceProcess, receiverPort: number): Promise<{ key: string; accounts: string[] }> {
  const operator = await service.operator();
  const account = async (type: string, scopes: string[]): Promise<{ id: string; key: string }> => {
    const { id } = await service.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
    const { key } = await service.call('POST', '/v1/admin/api-keys', { accountId: id, name: 'kill', scopes }, operator);
    return { id, key };
  };
  const accounts: string[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const { id, key } = await account('MERCHANT', ['webhooks:manage']);
    await service.call('POST', '/v1/webhooks/endpoints', { url: `http://127.0.0.1:${receiverPort}/${i}` }, key);
    accounts.push(id);
  }
  return { key: (await account('PLATFORM', ['events:publish', 'admin'])).key, accounts };
}

function shuffled(jobs: PublishJob[]): PublishJob[] {
  return jobs
    .map((job) => [random(), job] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, job]) => job);
}

/** The whole audit trail: event id by name; throws when a name is there twice. One page is held against openapi.json, as all are alike. */
async function auditTrail(service: ServiceProcess, key: string): Promise<Map<string, string>> {
  const trail = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: { id: string; data: { tradeSessionId: string } }[]; nextCursor: string | null } =
      cursor === ''
        ? await service.call('GET', '/v1/events?limit=100', undefined, key)
        : await callPort(service.port, 'GET', `/v1/events?limit=100&cursor=${cursor}`, { token: key });
    for (const { id, data } of page.data) {
      assert.ok(!trail.has(data.tradeSessionId), `${data.tradeSessionId} is in the trail twice`);
      trail.set(data.tradeSessionId, id);
    }
    cursor = page.nextCursor;
  }
  return trail;
}

test(`kill -9 while ${EVENTS} events are published and delivered loses none that was answered`, {
  timeout: 170_000,
}, async () => {
  say(`seed ${seed}`);
  const counter = await startCounter();
  const service = await startService();
  const { key, accounts } = await setUp(service, counter.port);
  const jobs = shuffled([
    ...publishJobs('single', SINGLES, 1, accounts),
    ...publishJobs('batch', EVENTS - SINGLES, BATCH, accounts),
  ]);
  const publisher = new Publisher(key, jobs);
  const started = monotonicNow();

  for (const part of KILLS) {
    const at = Math.floor(EVENTS * (part + 0.1 * random()));
    const delay = Math.floor(random() * 20);
    let killing: Promise<void> | undefined;
    await publisher.run(service.port, CONNECTIONS, () => {
      if (killing !== undefined || publisher.answered.size < at) return;
      killing = new Promise((done) => setTimeout(done, delay)).then(() => service.kill());
    });
    assert.ok(killing, 'the service was killed before all was published');
    await killing;
    say(`killed ${delay} ms after ${at} events were answered, with ${counter.total()} delivered`);
    const before = counter.total();
    await service.start();
    // The dead one's lease must end first; the next kill is to hit deliveries under way as well. Where every outcome was
    // written before the kill there is nothing to go on with, and what was lost or not is counted at the end.
    await until('deliveries go on', () => counter.total() > before, 8000).catch(() =>
      say('nothing was left to be delivered from before the kill'),
    );
  }
  await publisher.run(service.port, CONNECTIONS);
  assert.equal(publisher.answered.size, EVENTS);

  const unseen = (ids: Iterable<string>): string[] => [...ids].filter((id) => !counter.seen.has(id));
  await until(
    'every answered event reached the receiver',
    () => counter.seen.size >= EVENTS && unseen(publisher.answered.values()).length === 0,
    90_000,
    100,
  ).catch((error: Error) => say(error.message));
  const lost = unseen(publisher.answered.values()).length;
  const duplicates = counter.total() - counter.seen.size;
  say(
    `${EVENTS} published, ${publisher.answered.size} answered, lost ${lost}, duplicates ${duplicates} (${publisher.repeated} requests were repeated; ${((monotonicNow() - started) / 1000).toFixed(1)} s)`,
  );
  assert.equal(lost, 0);

  const trail = await auditTrail(service, key);
  assert.equal(trail.size, EVENTS, 'each event once, however often its request was repeated');
  for (const [name, id] of publisher.answered) assert.equal(trail.get(name), id, `${name} was answered with this id`);
  assert.deepEqual(unseen(trail.values()), []);
  await until(
    'nothing waits any more',
    async () =>
      (await service.call('GET', '/v1/webhooks/deliveries?status=PENDING&limit=1', undefined, key)).data.length === 0,
    30_000,
  );
  await service.stop();
});
