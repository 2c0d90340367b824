/**
 * What one read, view, event, delivery and retry cost, each at a low rate and at a high one; writes bench/costs.json, which
 * bench/simulate.ts is fed with. Some fifteen minutes; the machine has to be left alone.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { Client } from 'pg';
import { allTold, beyond, KINDS, type Measured, meter, type Usage, usage } from './costs/meter.ts';
import {
  audiences,
  PORT,
  publish,
  RATES,
  SECONDS,
  secondsAt,
  settle,
  start,
  stop,
  type System,
} from './costs/system.ts';
import { atRate } from './lib/at-rate.ts';
import { SMALL } from './lib/event.ts';
import type { OpenLoopJob } from './lib/open-loop.ts';
import { fillPosts } from './lib/posts.ts';
import { type Receiver, receiver, settled } from './lib/receivers.ts';
import { untilRead } from './lib/until-read.ts';
import { publishTo } from './lib/wrk.ts';

/** What lib/open-loop.ts asks before it counts. */
const OPENING_REQUESTS = 10;
/** Workers of the second form, to see what each costs that only looks through the log. */
const MANY = 4;
const IDLE_SECONDS = 3 * SECONDS;
/** What a thing can use at all; the rest of what is measured beside it is of chance, and would be multiplied by the rate. */
const USES: Readonly<Record<'read' | 'delivery' | 'look', readonly (keyof Usage)[]>> = {
  // Counters are read for all posts together, and nothing is written.
  read: ['api', 'postgres', 'rest', 'transactions', 'networkBytes'],
  // The request that brought the event is the event's.
  delivery: KINDS.filter((kind) => kind !== 'api'),
  look: ['worker', 'workerMain', 'postgres', 'transactions', 'networkBytes'],
};

export interface Cost {
  /** For one, beyond what is used when nothing happens. */
  low: Usage;
  high: Usage;
}

/** What was measured as a whole, per second, and what was asked for meanwhile. */
export interface Check {
  name: string;
  eventsPerSecond: number;
  fanOut: number;
  readsPerSecond: number;
  viewsPerSecond: number;
  workers: number;
  used: Usage;
}

export interface Costs {
  machine: string;
  cores: number;
  rates: typeof RATES;
  /** Per second, of one process that takes requests and one that sends. */
  idle: Usage;
  /** Per second, of each worker more. */
  idleWorker: Usage;
  read: Cost;
  view: Cost;
  /** To nobody. */
  event: Cost;
  delivery: Cost;
  /** One more attempt of a delivery. */
  retry: Cost;
  /** Per second, of each worker more while events are published at the high rate that are of another one's accounts, beyond `idleWorker`. */
  look: Usage;
  checks: Check[];
  /** Events a second that were taken as fast as they could be, each delivered once; and what everything besides the service and PostgreSQL used of each. Seconds. */
  most: { eventsPerSecond: number; rest: number };
}

async function measured(system: System, work: () => Promise<unknown>): Promise<Measured> {
  const pids = system.workers.map((w) => w.process.pid as number);
  const end = await meter(system.databaseUrl, system.front.pid, pids);
  await work();
  return end();
}

const pause = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

async function idleOf(system: System): Promise<Usage> {
  await allTold();
  const { used, seconds, transactionSeconds } = await measured(system, () => pause(IDLE_SECONDS));
  return usage((kind) => used[kind] / (kind === 'transactions' ? transactionSeconds : seconds));
}

/** What each of so many took beyond the idle use. Below nothing is noise, which is kept, so that differences are right. */
function each(all: Measured, idle: Usage, count: number): Usage {
  const used = beyond(idle, all);
  return usage((kind) => used[kind] / count);
}

const minus = (one: Usage, other: Usage): Usage => usage((kind) => one[kind] - other[kind]);
/** Of these kinds, and not below nothing. */
const onlyOf = (kinds: readonly (keyof Usage)[], one: Usage): Usage =>
  usage((kind) => (kinds.includes(kind) ? Math.max(0, one[kind]) : 0));
const onlyIn = (kinds: readonly (keyof Usage)[], { low, high }: Cost): Cost => ({
  low: onlyOf(kinds, low),
  high: onlyOf(kinds, high),
});

const middle = (all: readonly Usage[]): Usage =>
  usage((kind) => all.map((one) => one[kind]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0);

/** `at` for the high rate, the middle of three, and for the low one. What grows in steps is that of the high one. */
async function cost({ databaseUrl }: System, at: (rate: number) => Promise<Usage>): Promise<Cost> {
  const all: Usage[] = [];
  for (let i = 0; i < 3; i++) {
    await settle(databaseUrl);
    all.push(await at(RATES.high));
  }
  const high = middle(all);
  await settle(databaseUrl);
  const low = { ...(await at(RATES.low)), storedBytes: high.storedBytes };
  console.error(JSON.stringify({ low, high }));
  return { low, high };
}

const READS = ['/v1/blog/posts', ...Array.from({ length: 49 }, (_, i) => `/v1/blog/posts/post-number-${i * 20}`)];
const VIEWS = Array.from({ length: 1000 }, (_, i) => `/v1/blog/posts/post-number-${i}/view`);
type Asked = Pick<OpenLoopJob, 'method' | 'paths' | 'rate'>;

const asking = (system: System, job: Asked, seconds: number) =>
  atRate({ origin: `http://127.0.0.1:${PORT}`, key: system.site, seconds, ...job }, job.method ?? 'GET');

async function costOfBlog(system: System, idle: Usage): Promise<Pick<Costs, 'read' | 'view'>> {
  const run = async (job: Asked): Promise<Usage> => {
    const seconds = secondsAt(job.rate);
    const all = await measured(system, () => asking(system, job, seconds));
    return each(all, idle, job.rate * seconds + OPENING_REQUESTS);
  };
  return {
    read: onlyIn(USES.read, await cost(system, (rate) => run({ paths: READS, rate }))),
    view: onlyIn(KINDS, await cost(system, (rate) => run({ method: 'POST', paths: VIEWS, rate }))),
  };
}

interface To {
  receivers: Receiver;
  fanOut: number;
  lists: string[][];
}

/** Publishes at the rate, until everything of it is done. Throws when less was delivered. */
async function published(system: System, { receivers, fanOut, lists }: To, rate: number): Promise<void> {
  const { count } = await receivers.ask();
  await publish(system, lists, rate);
  await settled(receivers);
  await untilRead(system.databaseUrl);
  const [wanted, came] = [rate * secondsAt(rate) * fanOut, (await receivers.ask()).count - count];
  if (came < wanted * 0.98) throw new Error(`only ${came} of ${wanted} were delivered`);
}

const costOfEvents =
  (system: System, idle: Usage, to: To) =>
  async (rate: number): Promise<Usage> =>
    each(await measured(system, () => published(system, to, rate)), idle, rate * secondsAt(rate));

/** Deliveries that failed once, made due at once: what is measured is the second attempt, which fails as well. */
async function costOfRetries(system: System, idle: Usage, refusing: Receiver): Promise<Cost> {
  const to = await audiences(system, 1, refusing);
  const client = new Client({ connectionString: system.databaseUrl });
  await client.connect();
  const once = async (rate: number): Promise<Usage> => {
    await publish(system, to, rate);
    const { count } = await settled(refusing);
    await untilRead(system.databaseUrl);
    const seconds = secondsAt(rate);
    await client.query(
      `update webhook_deliveries set next_attempt_at = clock_timestamp() + interval '15 s' + random() * $1::float8 * interval '1 s'
       where status = 'PENDING' and attempts = 1`,
      [seconds],
    );
    await allTold();
    const all = await measured(system, async () => {
      const until = performance.now() + (seconds + 60) * 1000;
      while ((await refusing.ask()).count - count < rate * seconds * 0.98) {
        if (performance.now() > until) throw new Error('the second attempts are not made');
        await pause(0.2);
      }
      await settled(refusing);
    });
    return each(all, idle, rate * seconds);
  };
  try {
    return onlyIn(KINDS, await cost(system, once));
  } finally {
    await client.end();
  }
}

/** Everything at once, as it is asked for: per second. */
async function check(
  system: System,
  idle: Usage,
  to: To,
  { name, events, reads, views }: { name: string; events: number; reads: number; views: number },
): Promise<Check> {
  await settle(system.databaseUrl);
  const seconds = secondsAt(events);
  const all = await measured(system, () =>
    Promise.all([
      published(system, to, events),
      ...(reads > 0 ? [asking(system, { paths: READS, rate: reads }, seconds)] : []),
      ...(views > 0 ? [asking(system, { method: 'POST', paths: VIEWS, rate: views }, seconds)] : []),
    ]),
  );
  const more = beyond(idle, all);
  const asked = { eventsPerSecond: events, readsPerSecond: reads, viewsPerSecond: views };
  const found = {
    name,
    ...asked,
    fanOut: to.fanOut,
    workers: system.workers.length,
    // What is used after the load until all is read is of the load; what would have been used in that time anyway is not.
    used: usage((kind) => more[kind] / seconds + idle[kind]),
  };
  console.error(JSON.stringify(found));
  return found;
}

async function most(system: System, { receivers, lists }: To): Promise<Costs['most']> {
  await settle(system.databaseUrl);
  const to = { key: system.platform, event: SMALL, audiences: lists };
  const { count } = await receivers.ask();
  let perSecond = 0;
  const { used } = await measured(system, async () => {
    const startedAt = Number(process.hrtime.bigint());
    await publishTo(`http://127.0.0.1:${PORT}`, { ...to, connections: 128, seconds: SECONDS });
    const came = await settled(receivers);
    perSecond = (came.count - count) / ((came.lastAt - startedAt) / 1e9);
  });
  return { eventsPerSecond: perSecond, rest: used.rest / ((await receivers.ask()).count - count) };
}

/** With several workers: what each costs when nothing happens, and when what happens is of another one's accounts. */
async function ofMany(
  to: Receiver,
  { idle, event }: Pick<Costs, 'idle' | 'event'>,
): Promise<Pick<Costs, 'idleWorker' | 'look'> & { check: Check }> {
  const system = await start(MANY);
  try {
    const nobody: To = { receivers: to, fanOut: 0, lists: await audiences(system, 0, to) };
    const single: To = { receivers: to, fanOut: 1, lists: await audiences(system, 1, to) };
    await published(system, nobody, RATES.high);
    await settle(system.databaseUrl);
    const idleMany = await idleOf(system);
    const many: Usage[] = [];
    for (let i = 0; i < 3; i++) {
      await settle(system.databaseUrl);
      many.push(await costOfEvents(system, idleMany, nobody)(RATES.high));
    }
    const more = onlyOf(USES.look, minus(middle(many), event.high));
    return {
      idleWorker: onlyOf(
        [...USES.look, 'walBytes'],
        usage((kind) => (idleMany[kind] - idle[kind]) / (MANY - 1)),
      ),
      look: usage((kind) => (more[kind] * RATES.high) / (MANY - 1)),
      check: await check(system, idleMany, single, {
        name: `${MANY} workers`,
        events: RATES.check,
        reads: 0,
        views: 0,
      }),
    };
  } finally {
    await stop(system);
  }
}

/** Measures all of it, on fresh databases. */
export async function costs(): Promise<Costs> {
  const [to, refusing] = [await receiver(), await receiver(0, 503)];
  const system = await start(1);
  let isStopped = false;
  try {
    const lists = {
      nobody: await audiences(system, 0, to),
      one: await audiences(system, 1, to),
      ten: await audiences(system, 10, to),
    };
    const nobody: To = { receivers: to, fanOut: 0, lists: lists.nobody };
    const single: To = { receivers: to, fanOut: 1, lists: lists.one };
    const ten: To = { receivers: to, fanOut: 10, lists: lists.ten };
    await fillPosts(system.front);
    // Until the code that counts is compiled, also of what is done when nothing happens.
    await published(system, single, RATES.check);
    await settle(system.databaseUrl);
    const idle = await idleOf(system);
    const blog = await costOfBlog(system, idle);
    const event = await cost(system, costOfEvents(system, idle, nobody));
    const delivered = await cost(system, costOfEvents(system, idle, single));
    const delivery = { low: minus(delivered.low, event.low), high: minus(delivered.high, event.high) };
    const alone = { reads: 0, views: 0 };
    const checks = [
      await check(system, idle, single, { name: 'fan-out 1', events: RATES.check, ...alone }),
      await check(system, idle, ten, { name: 'fan-out 10', events: RATES.check / 4, ...alone }),
      await check(system, idle, single, {
        name: 'with reads and views',
        events: RATES.check / 2,
        reads: RATES.check * 2,
        views: RATES.check / 4,
      }),
    ];
    const retry = await costOfRetries(system, idle, refusing);
    const found = await most(system, single);
    await stop(system);
    isStopped = true;
    const { idleWorker, look, check: last } = await ofMany(to, { idle, event });
    return {
      machine: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      rates: RATES,
      idle,
      idleWorker,
      ...blog,
      event: onlyIn(KINDS, event),
      delivery: onlyIn(USES.delivery, delivery),
      retry,
      look,
      checks: [...checks, last],
      most: found,
    };
  } finally {
    if (!isStopped) await stop(system);
    await to.stop();
    await refusing.stop();
  }
}

/** For bench/simulate.ts. */
export const keepCosts = (found: Costs): Promise<void> =>
  writeFile(new URL('./costs.json', import.meta.url), `${JSON.stringify(found, null, 2)}\n`);

if (import.meta.main) {
  await keepCosts(await costs());
  process.exit(0);
}
