import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { temporaryCluster, type TemporaryCluster } from '../scripts/lib/postgres.ts';
import { monotonicNow, systemClock } from '../src/lib/clock.ts';
import { rowsOf } from './helpers/ask.ts';
import { cleanup } from './helpers/cleanup.ts';
import { testDb } from './helpers/database.ts';
import { dice } from './helpers/dice.ts';
import { until } from './helpers/engine.ts';
import { noNatsServers, startNatsServers } from './helpers/nats-servers.ts';
import { ServiceProcess } from './helpers/process.ts';
import { Publisher, publishJobs } from './helpers/publisher.ts';

/** KILLS=50 takes some six minutes. */
const KILLS = Number(process.env.KILLS ?? 3);
const EVENTS_PER_KILL = 250;
const REPLAYS_PER_KILL = 20;
const MERCHANTS = 10;
/** The slowest answer. Milliseconds. */
const ANSWER_MS = 100;
/** What was sent so long before a kill has its row by then. Milliseconds. */
const IN_FLIGHT_MS = 1500;

const seed = Number(process.env.KILL_SEED ?? systemClock.now() % 1_000_000);
const roll = dice(seed);
const say = (text: string): void => void process.stdout.write(`kill -9 of one of two workers: ${text}\n`);

/** When each delivery arrived, by event and whether it was a replay (by its own delivery id). */
class Arrivals {
  readonly of = new Map<string, number[]>();
  total = 0;

  async listen(): Promise<number> {
    const server = createServer((request, response) => {
      const { headers } = request;
      const isReplay = headers['x-service-replay'] === 'true';
      const id = String(isReplay ? headers['x-service-delivery-id'] : headers['x-service-event-id']);
      request.resume().on('end', () => {
        const times = this.of.get(id) ?? [];
        this.of.set(id, times);
        times.push(monotonicNow());
        this.total++;
        // So that at any moment some are under way.
        setTimeout(() => response.end('ok'), roll(ANSWER_MS));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanup(() => (server.closeAllConnections(), server.close()));
    return (server.address() as AddressInfo).port;
  }

  has(id: string): boolean {
    return this.of.has(id);
  }

  /** For each arrival after the first, when the one before it came, and itself. */
  repetitions(): { first: number; again: number }[] {
    return [...this.of.values()].flatMap((times) =>
      times.slice(1).map((again, i) => ({ first: times[i] as number, again })),
    );
  }
}

interface System {
  front: ServiceProcess;
  workers: readonly [ServiceProcess, ServiceProcess];
  key: string;
  accounts: string[];
}

async function startSystem(
  databaseUrl: string,
  receiverPort: number,
  dispatch: Record<string, string>,
): Promise<System> {
  const env = { ...dispatch, DATABASE_URL: databaseUrl, POSTHORN_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
  const front = new ServiceProcess(env, 'api');
  const workers = [new ServiceProcess(env, 'worker'), new ServiceProcess(env, 'worker')] as const;
  for (const one of [front, ...workers]) cleanup(() => one.kill());
  await front.start();
  await Promise.all(workers.map((w) => w.start()));
  const operator = await front.operator();
  const account = async (type: string, scopes: string[]): Promise<{ id: string; key: string }> => {
    const { id } = await front.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
    const { key } = await front.call('POST', '/v1/admin/api-keys', { accountId: id, name: 'kill', scopes }, operator);
    return { id, key };
  };
  const accounts: string[] = [];
  for (let i = 0; i < MERCHANTS; i++) {
    const { id, key } = await account('MERCHANT', ['webhooks:manage']);
    await front.call('POST', '/v1/webhooks/endpoints', { url: `http://127.0.0.1:${receiverPort}/${i}` }, key);
    accounts.push(id);
  }
  return { front, workers, key: (await account('PLATFORM', ['events:publish', 'admin'])).key, accounts };
}

/** Asks for replays of what was delivered; returns the ids of the new deliveries. */
async function replaySome({ front, key }: System): Promise<string[]> {
  const { data } = await front.call(
    'GET',
    `/v1/webhooks/deliveries?status=DELIVERED&limit=${REPLAYS_PER_KILL}`,
    undefined,
    key,
  );
  const made: string[] = [];
  for (const { id } of data) {
    made.push((await front.call('POST', `/v1/webhooks/deliveries/${id}/replay`, undefined, key)).id);
  }
  return made;
}

let made: TemporaryCluster | undefined;
/** One that can be restarted, for all of the file: to make one takes as long as some hundred events. */
async function theCluster(): Promise<TemporaryCluster> {
  if (made) return made;
  const cluster = await temporaryCluster();
  if (typeof cluster === 'string') throw new Error(cluster);
  cleanup(() => cluster.stop());
  return (made = cluster);
}

async function killSome(dispatch: Record<string, string>): Promise<void> {
  const cluster = await theCluster();
  const by = dispatch.WEBHOOK_DISPATCH ?? 'postgres';
  await rowsOf(cluster.url, `create database by_${by}`);
  const database = new URL(cluster.url);
  database.pathname = `/by_${by}`;
  const arrivals = new Arrivals();
  const system = await startSystem(database.href, await arrivals.listen(), dispatch);
  const { front, workers, key, accounts } = system;
  const isJetStream = dispatch.WEBHOOK_DISPATCH === 'jetstream';
  const wanted = new Set<string>();
  const troubles: { from: number; to: number }[] = [];
  const restartAt = Math.floor(KILLS / 2);
  for (let round = 0; round < KILLS; round++) {
    const publisher = new Publisher(key, publishJobs(`round-${round}`, EVENTS_PER_KILL, 1, accounts));
    for (const id of await replaySome(system)) wanted.add(id);
    const at = 1 + roll(EVENTS_PER_KILL - 1);
    const victim = workers[roll(2)] as ServiceProcess;
    let killing: Promise<void> | undefined;
    const before = arrivals.total;
    const kill = async (): Promise<void> => {
      await new Promise((done) => setTimeout(done, roll(30)));
      const from = monotonicNow();
      await victim.kill();
      if (round === restartAt) await cluster.restart();
      const trouble = { from, to: monotonicNow() };
      troubles.push(trouble);
      await victim.start();
      // Its start takes the cores: of the other one may not be heard for so long that what it was handed is made again.
      if (isJetStream) trouble.to = monotonicNow();
    };
    await publisher.run(front.port, 4, () => {
      if (publisher.answered.size >= at) killing ??= kill();
    });
    await killing;
    // What the database did not answer while it was away is asked again.
    await publisher.run(front.port, 4);
    assert.equal(publisher.answered.size, EVENTS_PER_KILL);
    for (const id of publisher.answered.values()) wanted.add(id);
    await until('deliveries go on', () => arrivals.total > before, 30_000);
  }
  const missing = (): number => [...wanted].filter((id) => !arrivals.has(id)).length;
  await until('all that was answered arrived', () => missing() === 0, 60_000, 50).catch((error: Error) =>
    say(error.message),
  );
  const repetitions = arrivals.repetitions();
  // A worker still makes what a holder handed it before it was killed.
  const handedMs = isJetStream ? IN_FLIGHT_MS : 0;
  const perKill = troubles.map(({ from, to }) =>
    repetitions.filter((r) => r.first >= from - IN_FLIGHT_MS && r.first <= to + handedMs && r.again > from),
  );
  const explained = new Set(perKill.flat());
  /** How long before the next kill, or while the database was away (0). */
  const before = (first: number): number =>
    Math.min(...troubles.filter(({ to }) => first <= to + handedMs).map(({ from }) => Math.max(0, from - first)));
  const oldest = Math.max(0, ...repetitions.map(({ first }) => before(first)));
  say(
    `${by}, seed ${seed}: ${wanted.size} answered, lost ${missing()}, duplicates ${repetitions.length} (at most ${Math.max(...perKill.map((p) => p.length))} of one kill, the oldest sent ${oldest.toFixed(0)} ms before it), ${KILLS} kills, one restart of the database`,
  );
  assert.equal(missing(), 0);
  assert.equal(explained.size, repetitions.length, 'only what was under way at a kill came twice');
  await until(
    'nothing waits any more',
    async () =>
      (await front.call('GET', '/v1/webhooks/deliveries?status=PENDING&limit=1', undefined, key)).data.length === 0,
    90_000,
    100,
  );
  for (const one of [front, ...workers]) await one.stop();
}

const skip = testDb !== 'postgres' && 'two workers need PostgreSQL';
const timeout = 60_000 + KILLS * 25_000;

test(
  'a worker that is killed, or a database that is restarted, loses nothing and repeats only what was under way',
  {
    skip,
    timeout,
  },
  () => killSome({}),
);

test('the same with attempts shared by JetStream', { skip: skip || (noNatsServers ?? false), timeout }, async () => {
  const [server] = await startNatsServers();
  await killSome({ WEBHOOK_DISPATCH: 'jetstream', WEBHOOK_HAND_OVER: 'share', NATS_URL: server?.url ?? '' });
});
