/** End to end: POST /v1/events → PostgreSQL → signed POST at a receiver, beside the bare sender. See RESULTS.md. */
import { account, type BenchService, child, freshDatabase, service } from './lib/processes.ts';
import { cpuOf, cpuOfPostgres } from './lib/cpu.ts';
import type { PublisherJob } from './lib/publisher.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);

interface Counted {
  /** When the last one came, in nanoseconds of the machine's monotonic clock. */
  lastAt: number;
  count: number;
  p50: number;
  p99: number;
  max: number;
}

type Receiver = ReturnType<typeof child> & { port: number; ask(line?: 'reset'): Promise<Counted> };

export async function receiver(): Promise<Receiver> {
  const started = child('./receiver.ts');
  const port = Number(await started.line());
  return {
    ...started,
    port,
    async ask(line?: 'reset') {
      started.process.stdin?.write(`${line ?? ''}\n`);
      return JSON.parse(await started.line()) as Counted;
    },
  };
}

/** Deliveries per second of bare `dispatch`. */
export async function ceiling(to: Receiver): Promise<number> {
  const sender = child('./ceiling-sender.ts', [String(to.port), String(SECONDS)]);
  const { sent, seconds } = JSON.parse(await sender.line()) as { sent: number; seconds: number };
  return sent / seconds;
}

/** `groups` audiences of `accounts` merchants with `endpoints` endpoints each. */
async function audiences(
  s: BenchService,
  url: string,
  groups: number,
  accounts: number,
  endpoints: number,
): Promise<string[][]> {
  const all: string[][] = [];
  for (let g = 0; g < groups; g++) {
    const group: string[] = [];
    for (let a = 0; a < accounts; a++) {
      const merchant = await account(s, 'MERCHANT', ['webhooks:manage']);
      for (let e = 0; e < endpoints; e++)
        await s.call('POST', '/v1/webhooks/endpoints', { url, maxInFlight: 64 }, merchant.key);
      group.push(merchant.id);
    }
    all.push(group);
  }
  return all;
}

interface Published {
  startedAt: number;
  answered: number;
  refused: number;
  seconds: number;
}

async function publish(job: PublisherJob): Promise<Published> {
  return JSON.parse(await child('./publisher.ts', [JSON.stringify(job)]).line()) as Published;
}

/** Waits until the receiver has counted `n`, or nothing more comes for 10 s. Returns seconds waited. */
async function arrived(to: Receiver, n: number): Promise<Counted> {
  let last = await to.ask();
  for (let still = 0; last.count < n && still < 100; ) {
    await new Promise((done) => setTimeout(done, 100));
    const now = await to.ask();
    still = now.count === last.count ? still + 1 : 0;
    last = now;
  }
  return last;
}

/** Waits until nothing more comes for 1.5 s. */
async function settled(to: Receiver): Promise<void> {
  for (let last = -1, now = (await to.ask()).count; now !== last; now = (await to.ask()).count) {
    last = now;
    await new Promise((done) => setTimeout(done, 1500));
  }
}

export interface Measured {
  name: string;
  publishedPerSecond: number;
  deliveredPerSecond: number;
  ofCeiling: number;
  /** Publish to receive at half of the full rate. Milliseconds. */
  p50: number;
  p99: number;
  /** CPU per delivery. Microseconds. */
  serviceMicros: number;
  postgresMicros: number;
  lost: number;
}

/** One scenario on a fresh database: full speed, then half of that rate for the latency. */
export async function scenario(
  name: string,
  shape: [groups: number, accounts: number, endpoints: number],
  options: { batch: number; connections: number; top: number },
): Promise<Measured> {
  const [groups, accounts, endpoints] = shape;
  const fanOut = accounts * endpoints;
  const to = await receiver();
  const s = await service(await freshDatabase('posthorn_bench'), 3990);
  try {
    const platform = await account(s, 'PLATFORM', ['events:publish']);
    const job = {
      port: s.port,
      key: platform.key,
      audiences: await audiences(s, `http://127.0.0.1:${to.port}/`, groups, accounts, endpoints),
      batch: options.batch,
      connections: options.connections,
    };
    await publish({ ...job, seconds: 2 });
    await settled(to);
    const before = (await to.ask()).count;
    const cpu = { service: cpuOf(s.pid), postgres: cpuOfPostgres() };
    const full = await publish({ ...job, seconds: SECONDS });
    const after = await arrived(to, before + full.answered * fanOut);
    const seconds = (after.lastAt - full.startedAt) / 1e9;
    const per = 1e6 / (after.count - before);
    const serviceMicros = (cpuOf(s.pid) - cpu.service) * per;
    const postgresMicros = (cpuOfPostgres() - cpu.postgres) * per;
    const rate = (after.count - before) / seconds / fanOut / options.batch / 2;
    await to.ask('reset');
    const half = await publish({ ...job, seconds: SECONDS, rate, connections: 256 });
    const { p50, p99 } = await arrived(to, after.count + half.answered * fanOut);
    return {
      name,
      publishedPerSecond: full.answered / full.seconds,
      deliveredPerSecond: (after.count - before) / seconds,
      ofCeiling: (after.count - before) / seconds / options.top,
      p50,
      p99,
      serviceMicros,
      postgresMicros,
      lost: full.answered * fanOut - (after.count - before),
    };
  } finally {
    await s.stop();
    await to.stop();
  }
}

export async function deliveries(): Promise<{ ceiling: number; rows: Measured[] }> {
  const to = await receiver();
  const top = await ceiling(to);
  await to.stop();
  const rows = [
    await scenario('fan-out 1, single events', [20, 1, 1], { batch: 1, connections: 128, top }),
    await scenario('fan-out 10, single events', [10, 2, 5], { batch: 1, connections: 16, top }),
  ];
  return { ceiling: top, rows };
}

if (import.meta.main) {
  console.log(JSON.stringify(await deliveries(), null, 2));
  process.exit(0);
}
