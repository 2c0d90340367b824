/** Sending shared by several workers, by parts (FANOUT_PARTITIONS) or by JetStream, and what a delivery then costs. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { cpuOf, cpuOfPostgres } from './lib/cpu.ts';
import { SMALL } from './lib/event.ts';
import { account, type BenchService, type Child, child, freshDatabase, service } from './lib/processes.ts';
import type { PublisherJob } from './lib/publisher.ts';
import { type Receiver, receiver, settled } from './lib/receivers.ts';
import { startWorkers, untilShared } from './lib/workers.ts';
import { publishTo } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** For each worker, at more than the rate that counts: until the code is compiled in all of them alike. */
const WARM_UP_SECONDS = 4;
const WARM_UP_FACTOR = 2.5;
const FRONT_PORT = 3994;

interface Setup {
  dispatch: 'postgres' | 'jetstream';
  partitions: number;
  workers: number;
}

const ALL: readonly Setup[] = [
  { dispatch: 'postgres', partitions: 1, workers: 1 },
  { dispatch: 'postgres', partitions: 4, workers: 1 },
  { dispatch: 'postgres', partitions: 16, workers: 1 },
  { dispatch: 'postgres', partitions: 16, workers: 2 },
  { dispatch: 'postgres', partitions: 16, workers: 4 },
  { dispatch: 'postgres', partitions: 16, workers: 8 },
  { dispatch: 'jetstream', partitions: 1, workers: 1 },
  { dispatch: 'jetstream', partitions: 1, workers: 2 },
  { dispatch: 'jetstream', partitions: 1, workers: 4 },
  { dispatch: 'jetstream', partitions: 1, workers: 8 },
];

/** BENCH_SETUPS: only those that begin so: `jetstream 1 8` is JetStream, one part, eight workers. */
const SETUPS = ALL.filter((s) =>
  `${s.dispatch} ${s.partitions} ${s.workers}`.startsWith(process.env.BENCH_SETUPS ?? ''),
);

/**
 * Of what one worker delivers while the front takes all it can: what is compared is work per delivery, and a worker that is full would write more at once
 * and so be cheaper. The same part of a slow machine and of a fast one. BENCH_RATE: so many events a second instead, at fan-out 10 a fifth of them.
 */
const RATE_SHARE = 1 / 3;
const FIXED_RATE = Number(process.env.BENCH_RATE ?? 0);
/** BENCH_LOAD: only the one of this name. */
const LOADS = [
  { name: 'fan-out 1', accounts: 64, endpoints: 1, fixedRate: FIXED_RATE },
  { name: 'fan-out 10', accounts: 64, endpoints: 10, fixedRate: FIXED_RATE / 5 },
].filter(({ name }) => name === (process.env.BENCH_LOAD ?? name));
type Load = (typeof LOADS)[number];

export interface WorkersRow extends Setup {
  load: string;
  deliveriesPerSecond: number;
  /** CPU seconds per 1,000 deliveries: of all workers together, of PostgreSQL, and of NATS. */
  workersCpu: number;
  postgresCpu: number;
  natsCpu: number;
  /** Transactions per 1,000 deliveries, and bytes of write-ahead log per delivery. */
  transactions: number;
  walBytes: number;
  p50: number;
  p99: number;
  lost: number;
}

/** What the database has done since its start: transactions of this one, bytes of the log of all. */
async function workOf(databaseUrl: string): Promise<{ transactions: number; walBytes: number; events: number }> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ transactions: string; bytes: string; events: string }>(
    `select xact_commit as transactions, pg_current_wal_lsn() - '0/0'::pg_lsn as bytes, (select count(*) from events) as events
     from pg_stat_database where datname = current_database()`,
  );
  await client.end();
  const [row] = rows;
  return { transactions: Number(row?.transactions), walBytes: Number(row?.bytes), events: Number(row?.events) };
}

interface Broker {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** A NATS server of its own, so that its CPU can be told. */
function broker(): Broker {
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-bench-nats-'));
  const port = FRONT_PORT + 50;
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', dir], { stdio: 'ignore' });
  return {
    url: `nats://127.0.0.1:${port}`,
    pid: server.pid as number,
    async stop() {
      const ended = new Promise((done) => server.once('exit', done));
      server.kill();
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** One audience for each merchant. */
async function audiences(front: BenchService, { port }: Receiver, load: Load): Promise<string[][]> {
  const all: string[][] = [];
  for (let a = 0; a < load.accounts; a++) {
    const merchant = await account(front, 'MERCHANT', ['webhooks:manage']);
    for (let e = 0; e < load.endpoints; e++) {
      const body = { url: `http://127.0.0.1:${port}/`, maxInFlight: 64 };
      await front.call('POST', '/v1/webhooks/endpoints', body, merchant.key);
    }
    all.push([merchant.id]);
  }
  return all;
}

/** A front that takes the events, and the workers. */
interface Running {
  to: Receiver;
  databaseUrl: string;
  workers: readonly Child[];
  broker: Broker | null;
  key: string;
  audiences: string[][];
}

/** On a fresh database; all is stopped when `fn` has ended. */
async function running<T>(setup: Setup, load: Load, fn: (all: Running) => Promise<T>): Promise<T> {
  const to = await receiver();
  const databaseUrl = await freshDatabase('posthorn_bench_workers');
  const nats = setup.dispatch === 'jetstream' ? broker() : null;
  const dispatch: Record<string, string> = nats ? { WEBHOOK_DISPATCH: 'jetstream', NATS_URL: nats.url } : {};
  const front = await service(databaseUrl, FRONT_PORT, nats ? { NATS_URL: nats.url } : {}, ['--role', 'api']);
  const shared = { databaseUrl, partitions: setup.partitions, workers: setup.workers };
  const workers = startWorkers({ ...shared, port: FRONT_PORT + 1, env: dispatch });
  try {
    const { key } = await account(front, 'PLATFORM', ['events:publish']);
    const lists = await audiences(front, to, load);
    await untilShared(shared);
    return await fn({ to, databaseUrl, workers, broker: nats, key, audiences: lists });
  } finally {
    for (const worker of workers) await worker.stop();
    await front.stop();
    await nats?.stop();
    await to.stop();
  }
}

/** Deliveries a second while the front takes as many events as it can. */
const mostThrough = (setup: Setup, load: Load): Promise<number> =>
  running(setup, load, async ({ to, key, audiences: lists }) => {
    const publish = (seconds: number): Promise<number> =>
      publishTo(`http://127.0.0.1:${FRONT_PORT}`, { key, event: SMALL, audiences: lists, connections: 64, seconds });
    await publish(2 * WARM_UP_SECONDS * setup.workers);
    const before = (await settled(to)).count;
    const startedAt = Number(process.hrtime.bigint());
    await publish(SECONDS);
    const { count, lastAt } = await to.ask();
    return (count - before) / ((lastAt - startedAt) / 1e9);
  });

/** At a fixed rate. */
const measure = (setup: Setup, load: Load, perSecond: number): Promise<WorkersRow> =>
  running(setup, load, async ({ to, databaseUrl, workers, broker: nats, key, audiences: lists }) => {
    const publish = async (seconds: number, rate: number): Promise<void> => {
      const job: PublisherJob & { rate: number } = {
        port: FRONT_PORT,
        key,
        audiences: lists,
        event: SMALL,
        connections: 64,
        seconds,
        rate,
      };
      await child('./publisher.ts', [JSON.stringify(job)]).line();
    };
    await publish(WARM_UP_SECONDS * setup.workers, perSecond * WARM_UP_FACTOR);
    const before = (await settled(to)).count;
    await to.ask('reset');
    const ofWorkers = (): number => workers.reduce((sum, w) => sum + cpuOf(w.process.pid as number), 0);
    const worked = await workOf(databaseUrl);
    const cpu = { workers: ofWorkers(), postgres: cpuOfPostgres(), nats: nats ? cpuOf(nats.pid) : 0 };
    const startedAt = Number(process.hrtime.bigint());
    await publish(SECONDS, perSecond);
    const after = await settled(to);
    const used = { workers: ofWorkers(), postgres: cpuOfPostgres(), nats: nats ? cpuOf(nats.pid) : 0 };
    // The last statistics of a connection come a second late.
    await new Promise((done) => setTimeout(done, 1500));
    const end = await workOf(databaseUrl);
    const delivered = after.count - before;
    return {
      ...setup,
      load: load.name,
      deliveriesPerSecond: delivered / ((after.lastAt - startedAt) / 1e9),
      workersCpu: ((used.workers - cpu.workers) / delivered) * 1000,
      postgresCpu: ((used.postgres - cpu.postgres) / delivered) * 1000,
      natsCpu: ((used.nats - cpu.nats) / delivered) * 1000,
      transactions: ((end.transactions - worked.transactions) / delivered) * 1000,
      walBytes: (end.walBytes - worked.walBytes) / delivered,
      p50: after.p50,
      p99: after.p99,
      lost: (end.events - worked.events) * load.endpoints - delivered,
    };
  });

/** Every setup in turn, some rounds of all: a machine that is slow for a minute is slow for all of them. */
export async function workers(): Promise<WorkersRow[]> {
  const rows: WorkersRow[] = [];
  const rates = new Map<Load, number>();
  for (const load of LOADS) {
    const rate =
      load.fixedRate || Math.round(((await mostThrough(ALL[0] as Setup, load)) / load.endpoints) * RATE_SHARE);
    console.error(`${load.name}: ${rate} events/s`);
    rates.set(load, rate);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const load of LOADS) {
      for (const setup of SETUPS) {
        const row = await measure(setup, load, rates.get(load) as number);
        rows.push(row);
        console.error(JSON.stringify({ round, ...row }));
      }
    }
  }
  return rows;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** As RESULTS.md has it: medians of the rounds. */
export function workersSection(rows: readonly WorkersRow[]): string {
  const lines = LOADS.flatMap(({ name }) => {
    const of = (setup: Setup, value: (row: WorkersRow) => number): number =>
      median(
        rows
          .filter((r) => r.load === name)
          .filter(
            (r) => r.dispatch === setup.dispatch && r.partitions === setup.partitions && r.workers === setup.workers,
          )
          .map(value),
      );
    const cpu = (row: WorkersRow): number => row.workersCpu + row.postgresCpu + row.natsCpu;
    const one = SETUPS[0] as Setup;
    return SETUPS.map((setup) => {
      const figures = [
        of(setup, (r) => r.workersCpu).toFixed(4),
        of(setup, (r) => r.postgresCpu).toFixed(4),
        of(setup, (r) => r.natsCpu).toFixed(4),
        (of(setup, cpu) / of(one, cpu)).toFixed(2),
        String(Math.round(of(setup, (r) => r.transactions))),
        String(Math.round(of(setup, (r) => r.walBytes))),
        of(setup, (r) => r.p50).toFixed(1),
        of(setup, (r) => r.p99).toFixed(1),
        String(of(setup, (r) => r.lost)),
      ];
      const rate = Math.round(of(setup, (r) => r.deliveriesPerSecond)).toLocaleString('en-US');
      return `| ${name} | ${setup.dispatch} | ${setup.partitions} | ${setup.workers} | ${rate} | ${figures.join(' | ')} |`;
    });
  });
  return `### Sending shared by several workers

\`node bench/workers.ts\`: an \`api\` process takes events for 64 merchants, ${FIXED_RATE > 0 ? `${FIXED_RATE} a second at fan-out 1 and a fifth of that at fan-out 10` : 'a third of those a second that one worker delivers (by parts of the PostgreSQL engine) while that takes all it can'}, and workers with one sender thread each share the
parts of \`FANOUT_PARTITIONS\` (docs/adr/0034) or make the attempts of one of them by JetStream (docs/adr/0036); medians of ${ROUNDS} rounds. CPU is that of
all workers together, of PostgreSQL, which has the publishing as well, and of NATS, in seconds per 1,000 deliveries; transactions are per 1,000
deliveries, write-ahead log is bytes per delivery, both with the publishing; all on the same ${cpus().length} cores.

| Load | dispatch | parts | workers | deliveries/s | CPU of workers | of PostgreSQL | of NATS | all, of one | transactions | WAL | p50 ms | p99 ms | lost |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

/** Workers, and the parts of both; and of two that both engines divide and that only the PostgreSQL engine does. */
const PAIRS: readonly { workers: number; partitions: number; ofJetStream: readonly number[] }[] = [
  { workers: 1, partitions: 1, ofJetStream: [1] },
  { workers: 2, partitions: 16, ofJetStream: [16, 1] },
];

interface Most {
  workers: number;
  partitions: number;
  ofJetStream: number;
  /** Of each round, deliveries a second. */
  postgres: number[];
  jetstream: number[];
}

async function most(load: Load): Promise<Most[]> {
  const all = PAIRS.flatMap(({ ofJetStream, ...pair }) =>
    ofJetStream.map((parts): Most => ({ ...pair, ofJetStream: parts, postgres: [], jetstream: [] })),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const { workers: count, partitions } of PAIRS) {
      const postgres = await mostThrough({ dispatch: 'postgres', partitions, workers: count }, load);
      for (const row of all.filter((r) => r.workers === count)) {
        const jetstream = await mostThrough(
          { dispatch: 'jetstream', partitions: row.ofJetStream, workers: count },
          load,
        );
        console.error(load.name, count, row.ofJetStream, Math.round(postgres), Math.round(jetstream));
        row.postgres.push(postgres);
        row.jetstream.push(jetstream);
      }
    }
  }
  return all;
}

/** As RESULTS.md has it: all in turn, medians of the rounds, a share of the same round. */
async function mostSection(): Promise<string> {
  const whole = (values: readonly number[]): string => Math.round(median(values)).toLocaleString('en-US');
  const lines: string[] = [];
  for (const load of LOADS) {
    for (const row of await most(load)) {
      const shares = row.jetstream.map((value, i) => value / (row.postgres[i] as number));
      lines.push(
        `| ${load.name} | ${row.workers} | ${row.partitions} | ${whole(row.postgres)} | ${row.ofJetStream} | ${whole(row.jetstream)} | ${median(shares).toFixed(2)} | ${shares.map((s) => s.toFixed(2)).join(', ')} |`,
      );
    }
  }
  return `\`BENCH_MOST=1 node bench/workers.ts\`: deliveries a second while the front takes as many events as it can; medians of ${ROUNDS} rounds of all in turn.

| Load | workers | parts | PostgreSQL engine/s | parts | JetStream/s | JetStream, of it | every round |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(process.env.BENCH_MOST === '1' ? await mostSection() : workersSection(await workers()));
  process.exit(0);
}
