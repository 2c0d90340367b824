/** Sending shared by several workers (FANOUT_PARTITIONS), and what a delivery then costs. */
import { cpus } from 'node:os';
import { Client } from 'pg';
import { cpuOf, cpuOfPostgres } from './lib/cpu.ts';
import { SMALL } from './lib/event.ts';
import { account, type BenchService, child, freshDatabase, service } from './lib/processes.ts';
import type { PublisherJob } from './lib/publisher.ts';
import { type Receiver, receiver, settled } from './lib/receivers.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Until the code that counts is compiled. */
const WARM_UP_SECONDS = 4;
const FRONT_PORT = 3994;

interface Setup {
  partitions: number;
  workers: number;
}

const SETUPS: readonly Setup[] = [
  { partitions: 1, workers: 1 },
  { partitions: 4, workers: 1 },
  { partitions: 16, workers: 1 },
  { partitions: 16, workers: 2 },
  { partitions: 16, workers: 4 },
];

/**
 * At a rate that one worker carries with room to spare: what is compared is work per delivery, and a worker that is full would write
 * more at once and so be cheaper.
 */
const LOADS = [
  { name: 'fan-out 1', accounts: 64, endpoints: 1, perSecond: Number(process.env.BENCH_RATE ?? 1000) },
  { name: 'fan-out 10', accounts: 64, endpoints: 10, perSecond: Number(process.env.BENCH_RATE ?? 1000) / 5 },
] as const;
type Load = (typeof LOADS)[number];

export interface PartitionsRow extends Setup {
  load: string;
  deliveriesPerSecond: number;
  /** CPU seconds per 1,000 deliveries: of all workers together, and of PostgreSQL. */
  workersCpu: number;
  postgresCpu: number;
  p50: number;
  p99: number;
  lost: number;
}

/** Waits until each of the parts has a holder and each worker has its share of them. */
async function untilShared(databaseUrl: string, { partitions, workers }: Setup): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const state = `select count(*)::int as parts, count(distinct lease_owner)::int as holders from event_readers
    where 'webhook-fan-out' in (name, part_of) and not divided and lease_until > now()`;
  for (let i = 0; ; i++) {
    const { rows } = await client.query<{ parts: number; holders: number }>(state);
    if (rows[0]?.parts === partitions && rows[0].holders === workers) break;
    if (i > 300) throw new Error(`the parts are not shared: ${JSON.stringify(rows)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  await client.end();
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

/** On a fresh database: a front that takes the events, and the workers; at a fixed rate. */
async function measure(setup: Setup, load: Load): Promise<PartitionsRow> {
  const to = await receiver();
  const databaseUrl = await freshDatabase('posthorn_bench_partitions');
  const front = await service(databaseUrl, FRONT_PORT, {}, ['--role', 'api']);
  const workers: ReturnType<typeof child>[] = [];
  try {
    for (let w = 1; w <= setup.workers; w++) {
      const env = {
        PORT: String(FRONT_PORT + w),
        DATABASE_URL: databaseUrl,
        POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        FANOUT_PARTITIONS: String(setup.partitions),
        WEBHOOK_SENDER_THREADS: '1',
        LOG_LEVEL: 'warn',
      };
      workers.push(child('../../src/main.ts', ['--role', 'worker'], env));
    }
    const platform = await account(front, 'PLATFORM', ['events:publish']);
    const lists = await audiences(front, to, load);
    await untilShared(databaseUrl, setup);
    const publish = async (seconds: number): Promise<number> => {
      const job: PublisherJob & { rate: number } = {
        port: FRONT_PORT,
        key: platform.key,
        audiences: lists,
        event: SMALL,
        connections: 64,
        seconds,
        rate: load.perSecond,
      };
      const { answered } = JSON.parse(await child('./publisher.ts', [JSON.stringify(job)]).line()) as {
        answered: number;
      };
      return answered;
    };
    await publish(WARM_UP_SECONDS);
    const before = (await settled(to)).count;
    await to.ask('reset');
    const cpu = { workers: 0, postgres: cpuOfPostgres() };
    const ofWorkers = (): number => workers.reduce((sum, w) => sum + cpuOf(w.process.pid as number), 0);
    cpu.workers = ofWorkers();
    const startedAt = Number(process.hrtime.bigint());
    const published = await publish(SECONDS);
    const after = await settled(to);
    const delivered = after.count - before;
    return {
      ...setup,
      load: load.name,
      deliveriesPerSecond: delivered / ((after.lastAt - startedAt) / 1e9),
      workersCpu: ((ofWorkers() - cpu.workers) / delivered) * 1000,
      postgresCpu: ((cpuOfPostgres() - cpu.postgres) / delivered) * 1000,
      p50: after.p50,
      p99: after.p99,
      lost: published * load.endpoints - delivered,
    };
  } finally {
    for (const worker of workers) await worker.stop();
    await front.stop();
    await to.stop();
  }
}

/** Every setup in turn, some rounds of all: a machine that is slow for a minute is slow for all of them. */
export async function partitions(): Promise<PartitionsRow[]> {
  const rows: PartitionsRow[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const load of LOADS) {
      for (const setup of SETUPS) {
        const row = await measure(setup, load);
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
export function partitionsSection(rows: readonly PartitionsRow[]): string {
  const lines = LOADS.flatMap(({ name }) => {
    const of = ({ partitions: p, workers: w }: Setup, value: (row: PartitionsRow) => number): number =>
      median(rows.filter((r) => r.load === name && r.partitions === p && r.workers === w).map(value));
    const cpu = (row: PartitionsRow): number => row.workersCpu + row.postgresCpu;
    const [one] = SETUPS as readonly [Setup];
    return SETUPS.map((setup) => {
      const figures = [
        of(setup, (r) => r.workersCpu).toFixed(4),
        of(setup, (r) => r.postgresCpu).toFixed(4),
        (of(setup, cpu) / of(one, cpu)).toFixed(2),
        of(setup, (r) => r.p50).toFixed(1),
        of(setup, (r) => r.p99).toFixed(1),
        String(of(setup, (r) => r.lost)),
      ];
      const rate = Math.round(of(setup, (r) => r.deliveriesPerSecond)).toLocaleString('en-US');
      return `| ${name} | ${setup.partitions} | ${setup.workers} | ${rate} | ${figures.join(' | ')} |`;
    });
  });
  return `### Sending shared by several workers

\`node bench/partitions.ts\`: an \`api\` process takes events at a fixed rate for 64 merchants, and workers with one sender thread each share the
parts of \`FANOUT_PARTITIONS\` (docs/adr/0034); medians of ${ROUNDS} rounds. CPU is that of all workers together and of PostgreSQL, which has
the publishing as well, in seconds per 1,000 deliveries; all on the same ${cpus().length} cores.

| Load | parts | workers | deliveries/s | CPU of workers | of PostgreSQL | both, of one | p50 ms | p99 ms | lost |
|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(partitionsSection(await partitions()));
  process.exit(0);
}
