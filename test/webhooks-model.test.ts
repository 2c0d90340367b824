import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../src/lib/clock.ts';
import { cleanup } from './helpers/cleanup.ts';
import { testDb, withDatabase } from './helpers/database.ts';
import { type Answered, EndpointOracle, type Seen } from './helpers/delivery-oracle.ts';
import { dice } from './helpers/dice.ts';
import { deliveriesOf, expireLeases, startNode, type Tenant, type TestNode } from './helpers/engine.ts';
import { HOUR, WAITS } from './helpers/schedule.ts';

/** HISTORIES=10000 takes some minutes. */
const HISTORIES = Number(process.env.HISTORIES ?? (testDb === 'pglite' ? 100 : 200));
/** Endpoints that live at the same time; restarts and the clock are common to them. */
const WORLD = 100;
const STEPS = 12;
/** Of these one in which a node dies for sure. */
const KILLED_AT = 5;
const MINUTE = 60_000;

const seed = Number(process.env.MODEL_SEED ?? systemClock.now() % 1_000_000);
const roll = dice(seed);
const chance = (percent: number): boolean => roll(100) < percent;
const pick = <T>(items: readonly T[]): T => items[roll(items.length)] as T;
const say = (text: string): void => void process.stdout.write(`histories of deliveries on ${testDb}: ${text}\n`);

const database = await withDatabase();
/**
 * Endpoints that only fail are disabled elsewhere (webhooks-recovery.test.ts): here days go by in seconds. Each request is answered at once, which on a busy machine may take
 * seconds: one that was too late for its time would be a failure that no oracle was told of.
 */
const settings = { WEBHOOK_TIMEOUT_SECONDS: '60', SHUTDOWN_SECONDS: '1', WEBHOOK_DISABLE_AFTER_HOURS: '8760' };
/** Takes requests; its loops never run. */
const front = await startNode({ database, settings });
const { clock, db } = front;
const publisher = await front.tenant('PLATFORM');

/** One endpoint, and what is expected of it. */
interface History {
  tenant: Tenant;
  endpoint: { id: string };
  oracle: EndpointOracle;
  /** How likely its receiver fails. Percent. */
  failing: number;
}

const histories = new Map<string, History>();
let arrived: { history: History; seen: Seen }[] = [];
let allGood = false;
const counts = {
  histories: 0,
  requests: 0,
  deliveries: 0,
  kills: 0,
  restarts: 0,
  replays: 0,
  jumps: 0,
  lost: 0,
  dead: 0,
};

function answer(history: History): Answered & { headers?: Record<string, string> } {
  if (allGood || !chance(history.failing)) return { status: pick([200, 201, 204, 299]), retryAfter: null };
  const status = pick([500, 503, 404, 301, 400, 429, 410, 'cut'] as const);
  if ((status !== 429 && status !== 503) || chance(50)) return { status, retryAfter: null };
  const seconds = pick([1, 200, 1500, 50_000, 500_000]);
  const asDate = chance(50);
  const at = new Date(Math.floor(clock.now() / 1000) * 1000 + seconds * 1000);
  const headers = { 'retry-after': asDate ? at.toUTCString() : String(seconds) };
  return { status, retryAfter: seconds * 1000, headers };
}

function take(request: IncomingMessage, response: ServerResponse): void {
  const history = histories.get(request.url ?? '');
  if (!history) throw new Error(`nobody was told of ${request.url}`);
  const { headers } = request;
  const { headers: more, ...given } = answer(history);
  arrived.push({
    history,
    seen: {
      deliveryId: String(headers['x-service-delivery-id']),
      eventId: String(headers['x-service-event-id']),
      attempt: Number(headers['x-service-attempt']),
      isReplay: headers['x-service-replay'] === 'true',
      answer: given,
    },
  });
  request.resume().on('end', () => {
    if (given.status === 'cut') request.socket.destroy();
    else response.writeHead(given.status, more).end();
  });
}

const server = createServer(take);
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
cleanup(() => (server.closeAllConnections(), server.close()));

const startWorker = (): Promise<TestNode> =>
  startNode({ database, clock, settings, random: () => roll(1_000_000) / 1_000_000 });

async function newHistory(): Promise<History> {
  const path = `/${counts.histories++}`;
  const tenant = await front.tenant();
  const endpoint = await front.endpoint(tenant, `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const history = { tenant, endpoint, oracle: new EndpointOracle(), failing: pick([0, 50, 90, 100]) };
  histories.set(path, history);
  return history;
}

/** Something that a merchant or an operator does. */
async function act({ tenant, endpoint, oracle }: History): Promise<void> {
  const { key } = tenant;
  const path = `/v1/webhooks/endpoints/${endpoint.id}`;
  if (oracle.state === 'DELETED') return;
  const kind = roll(100);
  if (kind < 30 && oracle.state === 'ACTIVE') {
    await front.ok(200, 'POST', `${path}/pause`, { key });
    oracle.acted('paused', 'PAUSED');
  } else if (kind < 60 && oracle.state !== 'ACTIVE') {
    const { isProbing } = await front.ok(200, 'POST', `${path}/resume`, { key });
    oracle.acted('resumed', isProbing ? 'PROBING' : 'ACTIVE');
  } else if (kind < 98) {
    const of = pick(oracle.deliveries);
    if (!of?.id || of.status === 'PENDING' || of.status === 'DISCARDED') return;
    const { id } = await front.ok(202, 'POST', `/v1/webhooks/deliveries/${of.id}/replay`, { key });
    oracle.replayed(id, of, clock.now());
    counts.replays++;
  } else {
    await front.ok(204, 'DELETE', path, { key });
    oracle.acted('deleted', 'DELETED');
  }
}

async function publishSome(world: readonly History[]): Promise<void> {
  for (const { tenant, oracle } of world) {
    if (oracle.state === 'DELETED' || !chance(25)) continue;
    for (const id of await front.publish(publisher, [tenant], [{ event: 'offer.created' }])) {
      oracle.published(id, clock.now());
      counts.deliveries++;
    }
  }
}

function moveClock(world: readonly History[]): void {
  const { due } = pick(pick(world).oracle.deliveries) ?? {};
  const kind = roll(10);
  // To the very moment of an attempt, or to just before it.
  if (kind < 3 && due && due[0] > clock.now()) clock.set(due[0] - (kind === 0 ? 1 : 0));
  else if (kind < 9) clock.advance(pick([1000, ...WAITS.map((wait) => wait * 1.1), 24 * HOUR]));
  else {
    clock.advance(-10 * MINUTE);
    counts.jumps++;
  }
}

/** What came in since the last call, told to the oracles. */
function tell(isLost: boolean): void {
  for (const { history, seen } of arrived.splice(0)) {
    counts.requests++;
    history.oracle.request(seen, clock.now(), isLost);
    if (isLost) counts.lost++;
  }
}

async function check(world: readonly History[]): Promise<void> {
  const rows = Map.groupBy(await deliveriesOf(db), (row) => row.endpoint_id);
  for (const { endpoint, oracle } of world) {
    oracle.settle(clock.now());
    oracle.compare(rows.get(endpoint.id) ?? [], clock.now());
  }
}

/** Dies with requests under way: they arrive, and nobody writes down what became of them. */
async function killed(worker: TestNode, world: readonly History[]): Promise<TestNode> {
  worker.die();
  await worker.fanOut();
  await worker.keepUp();
  await worker.engine.claims.step();
  await worker.quiet();
  tell(true);
  // A receiver that said that it is gone is not called again, whoever died meanwhile.
  for (const { tenant, endpoint, oracle } of world) {
    if (oracle.state !== 'ACTIVE' && oracle.state !== 'PROBING') continue;
    const { status, isProbing } = await front.ok(200, 'GET', `/v1/webhooks/endpoints/${endpoint.id}`, {
      key: tenant.key,
    });
    oracle.acted('a node died', isProbing ? 'PROBING' : status);
  }
  await worker.service.stop();
  await expireLeases(db);
  counts.kills++;
  return startWorker();
}

/** A probe goes out, and what was held follows once it has arrived. */
async function workOff(worker: TestNode): Promise<void> {
  for (let i = 0; i < 4; i++) await worker.work();
}

async function live(world: readonly History[], first: TestNode): Promise<TestNode> {
  let worker = first;
  for (let step = 0; step < STEPS; step++) {
    await publishSome(world);
    for (const history of world) if (chance(15)) await act(history);
    if (step === KILLED_AT || chance(20)) worker = await killed(worker, world);
    else if (chance(10)) {
      await worker.service.stop();
      worker = await startWorker();
      counts.restarts++;
    }
    await workOff(worker);
    tell(false);
    await check(world);
    moveClock(world);
  }
  return worker;
}

/** Every receiver is well and every endpoint is called again: what is open comes to its end. */
async function drain(world: readonly History[], worker: TestNode): Promise<void> {
  allGood = true;
  for (const { tenant, endpoint, oracle } of world) {
    if (oracle.state === 'ACTIVE' || oracle.state === 'DELETED') continue;
    const path = `/v1/webhooks/endpoints/${endpoint.id}/resume`;
    const { isProbing } = await front.ok(200, 'POST', path, { key: tenant.key });
    oracle.acted('resumed at the end', isProbing ? 'PROBING' : 'ACTIVE');
  }
  clock.advance(48 * HOUR);
  await workOff(worker);
  tell(false);
  await check(world);
  for (const { oracle } of world) {
    oracle.end();
    counts.dead += oracle.deliveries.filter((d) => d.status === 'DEAD').length;
  }
  histories.clear();
  // So that the last of ten thousand costs no more than the first.
  await sql`delete from webhook_deliveries`.execute(db);
  allGood = false;
}

/** The dice brought all of it about. */
const hasAll = (): boolean => counts.kills > 0 && counts.replays > 0 && counts.dead > 0 && counts.lost > 0;

test(`${HISTORIES} histories of outcomes, kills, restarts, pauses, replays and clocks that jump`, {
  timeout: 60_000 + HISTORIES * 600,
}, async () => {
  say(`seed ${seed}`);
  let worker = await startWorker();
  // A hundred histories have some seven dead letters, and now and then none: they go on until there is one of everything.
  while (counts.histories < HISTORIES || (!hasAll() && counts.histories < 5 * HISTORIES)) {
    const world: History[] = [];
    while (world.length < WORLD) world.push(await newHistory());
    worker = await live(world, worker);
    await drain(world, worker);
  }
  say(
    Object.entries(counts)
      .map(([name, n]) => `${n} ${name}`)
      .join(', '),
  );
  assert.ok(hasAll(), 'the dice brought all of it about');
});
