import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sql } from 'kysely';
import { monotonicNow, systemClock } from '../src/lib/clock.ts';
import { type Db, openPostgres } from '../src/platform/db/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { migratedPostgres, onlyPostgres } from './helpers/database.ts';
import { dice } from './helpers/dice.ts';
import { until } from './helpers/engine.ts';
import { ServiceProcess } from './helpers/process.ts';
import { Publisher, publishJobs } from './helpers/publisher.ts';

/** KILLS=30 takes some four minutes. */
const KILLS = Number(process.env.KILLS ?? 3);
const MERCHANTS = 16;
const CAP = 2;
const RATE = 20;
/** Events at once, of one audience each, and the pause before the next ones: some 150 a second in all. */
const BATCH = 16;
const PAUSE_MS = 100;
/** The slowest answer: so that a worker has some deliveries under way at any moment. Milliseconds. */
const ANSWER_MS = 80;
/** What was sent so long before a kill has its row by then. Milliseconds. */
const IN_FLIGHT_MS = 1500;
const WITHIN_MS = 60_000;

const seed = Number(process.env.KILL_SEED ?? systemClock.now() % 1_000_000);
const roll = dice(seed);
const say = (text: string): void => void process.stdout.write(`partitions: ${text}\n`);

/** When each event arrived at each path, in order, and how many requests a path had at once. */
class Arrivals {
  readonly at = new Map<string, { id: string; time: number }[]>();
  readonly most = new Map<string, number>();
  readonly #open = new Map<string, number>();
  url = '';

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      const open = (this.#open.get(path) ?? 0) + 1;
      this.#open.set(path, open);
      this.most.set(path, Math.max(open, this.most.get(path) ?? 0));
      const arrivals = this.at.get(path) ?? [];
      this.at.set(path, arrivals);
      arrivals.push({ id: String(request.headers['x-service-event-id']), time: monotonicNow() });
      const answer = setTimeout(() => response.end('ok'), path === '/0' ? 0 : roll(ANSWER_MS));
      request.resume();
      // Answered, or cut off by a kill.
      response.on('close', () => {
        clearTimeout(answer);
        this.#open.set(path, (this.#open.get(path) ?? 1) - 1);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanup(() => (server.closeAllConnections(), server.close()));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  count(): number {
    return [...this.at.values()].reduce((sum, list) => sum + list.length, 0);
  }

  /** When what came twice at a path came first. */
  repeated(): number[] {
    return [...this.at.values()].flatMap((list) => {
      const first = new Map<string, number>();
      return list.flatMap(({ id, time }) => {
        const before = first.get(id);
        if (before === undefined) first.set(id, time);
        return before === undefined ? [] : [before];
      });
    });
  }
}

interface System {
  front: ServiceProcess;
  /** A worker that wants so many parts; it is not started. */
  worker: (partitions: number) => ServiceProcess;
  key: string;
  accounts: string[];
  db: Db;
}

async function startSystem(url: string): Promise<System> {
  const databaseUrl = await migratedPostgres();
  const env = { DATABASE_URL: databaseUrl, POSTHORN_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
  const process = (role: 'api' | 'worker', more: Record<string, string> = {}): ServiceProcess => {
    const made = new ServiceProcess({ ...env, WEBHOOK_SENDER_THREADS: '0', ...more }, role);
    cleanup(() => made.kill());
    return made;
  };
  const front = process('api');
  await front.start();
  const operator = await front.operator();
  const account = async (type: string, scopes: string[]): Promise<{ id: string; key: string }> => {
    const { id } = await front.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
    const { key } = await front.call('POST', '/v1/admin/api-keys', { accountId: id, name: 'k', scopes }, operator);
    return { id, key };
  };
  const accounts: string[] = [];
  for (let i = 0; i < MERCHANTS; i++) {
    const { id, key } = await account('MERCHANT', ['webhooks:manage']);
    // The first shows the order, the second the rate, the others the cap.
    const limit = i === 0 ? { maxInFlight: 1 } : i === 1 ? { ratePerSecond: RATE } : { maxInFlight: CAP };
    await front.call('POST', '/v1/webhooks/endpoints', { url: `${url}/${i}`, ...limit }, key);
    accounts.push(id);
  }
  const database = await openPostgres(databaseUrl, 2);
  cleanup(() => database.close());
  const worker = (partitions: number): ServiceProcess => process('worker', { FANOUT_PARTITIONS: String(partitions) });
  return { front, worker, key: (await account('PLATFORM', ['events:publish'])).key, accounts, db: database.db };
}

/** How many parts each process holds by a lease that runs, ascending; of whom does not matter. */
async function heldBy(db: Db): Promise<string> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from event_readers
    where (name = 'webhook-fan-out' or part_of = 'webhook-fan-out') and not divided and lease_until > now()
    group by lease_owner order by 1`.execute(db);
  return rows.map((row) => row.n).join();
}

const shared = (db: Db, counts: string): Promise<void> =>
  until(`the parts are shared as ${counts}`, async () => (await heldBy(db)) === counts, WITHIN_MS, 50);

/** Publishes until stopped; resolves with the ids of all that was answered. */
function load({ front, key, accounts }: System): { stop: () => Promise<string[]> } {
  let isOver = false;
  const ids: string[] = [];
  const done = (async () => {
    for (let n = 0; !isOver; n++) {
      const publisher = new Publisher(key, publishJobs(`load-${monotonicNow()}-${n}`, BATCH, 1, accounts));
      await publisher.run(front.port, 4);
      ids.push(...publisher.answered.values());
      await new Promise((next) => setTimeout(next, PAUSE_MS));
    }
    return ids;
  })();
  return { stop: () => ((isOver = true), done) };
}

test('partitions are raised and move under load: nothing lost, duplicates only of what a kill cut off, limits and order hold', {
  ...onlyPostgres,
  timeout: 240_000 + KILLS * 30_000,
}, async () => {
  say(`seed ${seed}`);
  const arrivals = new Arrivals();
  await arrivals.listen();
  const system = await startSystem(arrivals.url);
  const { db } = system;
  const arrived = async (ids: readonly string[]): Promise<void> => {
    const had = (): Set<string> => new Set([...arrivals.at.values()].flatMap((list) => list.map((a) => a.id)));
    const missing = (): number => {
      const now = had();
      return ids.filter((id) => !now.has(id)).length;
    };
    await until('all that was answered arrived', () => missing() === 0, WITHIN_MS, 100).catch(() => undefined);
    assert.equal(missing(), 0, 'lost');
  };
  const first = system.worker(1);
  await first.start();
  await shared(db, '1');

  // Raised, joined and left in peace.
  let publishing = load(system);
  const second = system.worker(4);
  await second.start();
  await shared(db, '2,2');
  const third = system.worker(16);
  await third.start();
  await shared(db, '5,5,6');
  await second.stop();
  await shared(db, '8,8');
  await second.start();
  await shared(db, '5,5,6');
  const inPeace = await publishing.stop();
  await arrived(inPeace);
  assert.deepEqual(arrivals.repeated(), [], 'nothing comes twice when nobody dies');
  const { rows } = await sql<{ id: string }>`select id from events order by position`.execute(db);
  const place = new Map(rows.map((row, i) => [row.id, i]));
  const order = (arrivals.at.get('/0') ?? []).map(({ id }) => place.get(id) as number);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
    'an endpoint that takes one at a time gets them in their order',
  );
  say(`raised 1 to 4 to 16 and shared among up to 3 in peace: ${inPeace.length} events, none twice`);

  const workers = [first, second, third];
  const kills: number[] = [];
  publishing = load(system);
  for (let i = 0; i < KILLS; i++) {
    await new Promise((next) => setTimeout(next, 500 + roll(1500)));
    const victim = workers[roll(workers.length)] as ServiceProcess;
    kills.push(monotonicNow());
    await victim.kill();
    await shared(db, '8,8');
    // The last time it wants more, in the middle of the others' work.
    if (i === KILLS - 1) {
      const raising = system.worker(32);
      await raising.start();
      await shared(db, '10,11,11');
    } else {
      await victim.start();
      await shared(db, '5,5,6');
    }
  }
  const ids = [...inPeace, ...(await publishing.stop())];
  await arrived(ids);
  const repeated = arrivals.repeated();
  say(`${ids.length} events, lost 0, twice ${repeated.length}, ${KILLS} kills`);
  for (const time of repeated) {
    const cut = kills.find((kill) => time > kill - IN_FLIGHT_MS && time < kill + IN_FLIGHT_MS);
    assert.ok(cut !== undefined, 'came twice, though nobody was killed while it was under way');
  }
  for (let i = 2; i < MERCHANTS; i++) {
    assert.ok((arrivals.most.get(`/${i}`) ?? 0) <= CAP, `${arrivals.most.get(`/${i}`)} at once`);
  }
  const times = (arrivals.at.get('/1') ?? []).map((a) => a.time);
  for (const seconds of [1, 2, 4]) {
    const most = Math.max(...times.map((t, i) => times.filter((u, j) => j >= i && u - t < seconds * 1000).length));
    assert.ok(most <= RATE * (seconds + 1), `${most} within ${seconds} s`);
  }
});
