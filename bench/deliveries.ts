/** End to end: POST /v1/events → PostgreSQL → signed POST at a receiver, beside the bare sender. See RESULTS.md. */
import { resolve } from 'node:path';
import { offerOf, SMALL } from './lib/event.ts';
import { account, type BenchService, child, countOf, freshDatabase, service } from './lib/processes.ts';
import { cpuOf, cpuOfPostgres } from './lib/cpu.ts';
import type { PublisherJob } from './lib/publisher.ts';
import { receiver, settled } from './lib/receivers.ts';
import { untilRead } from './lib/until-read.ts';
import { publishTo } from './lib/wrk.ts';

export const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** The folder of another version, which is measured in turn with this one. */
const AGAINST = process.env.BENCH_AGAINST;
/** Events in one request, where not single ones are published. */
export const BATCH = 20;
/** Until the code that counts is compiled. */
const WARM_UP_SECONDS = 4;

/** Deliveries per second of bare `dispatch`. */
export async function ceiling(event: string): Promise<number> {
  const to = await receiver();
  const sender = child('./ceiling-sender.ts', [String(to.port), String(SECONDS), `{${event}}`]);
  const { sent, seconds } = JSON.parse(await sender.line()) as { sent: number; seconds: number };
  await to.stop();
  return sent / seconds;
}

/** `groups` audiences of `accounts` merchants with `endpoints` endpoints each. */
export async function audiences(
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

/** Who gets what from whom. */
export interface Scenario {
  groups: number;
  accounts: number;
  endpoints: number;
  connections: number;
  /** Events of a request. */
  batch: number;
  event: string;
  /** What the receiver takes for each. Milliseconds. */
  receiverMs: number;
}

export const ONE: Scenario = {
  groups: 20,
  accounts: 1,
  endpoints: 1,
  connections: 128,
  batch: 1,
  event: SMALL,
  receiverMs: 0,
};
export const TEN: Scenario = { ...ONE, groups: 10, accounts: 2, endpoints: 5, connections: 16 };

type Named = Scenario & { name: string };

const ALL: readonly Named[] = [
  { ...ONE, name: 'fan-out 1, single events' },
  { ...TEN, name: 'fan-out 10, single events' },
  { ...ONE, name: `fan-out 1, ${BATCH} events in a request`, batch: BATCH, connections: 64 },
  { ...TEN, name: `fan-out 10, ${BATCH} events in a request`, batch: BATCH, connections: 4 },
  { ...TEN, name: 'fan-out 100', groups: 2, endpoints: 50, connections: 4 },
  { ...TEN, name: 'fan-out 10, receivers of 5 ms', receiverMs: 5 },
  { ...TEN, name: 'fan-out 10, receivers of 200 ms', receiverMs: 200 },
  { ...TEN, name: 'fan-out 10, bodies of 1 kB', event: offerOf(1000) },
  { ...TEN, name: 'fan-out 10, bodies of 7 kB', event: offerOf(7000) },
];
/** BENCH_SCENARIOS: only those whose name has this in it. */
const SCENARIOS = ALL.filter(({ name }) => name.includes(process.env.BENCH_SCENARIOS ?? ''));

/** One run of a scenario. */
interface Measured {
  ceiling: number;
  publishedPerSecond: number;
  deliveredPerSecond: number;
  ofCeiling: number;
  /** Publish to receive at half of the full rate. Milliseconds. */
  p50: number;
  p99: number;
  /** CPU per delivery. Microseconds. */
  serviceMicros: number;
  postgresMicros: number;
  /** Deliveries of committed events that did not arrive. */
  lost: number;
}

/** The ceiling, and on a fresh database: full speed, then half of that rate for the latency. `main`: of another version. */
async function measure(scenario: Scenario, main?: string): Promise<Measured> {
  const { groups, accounts, endpoints, connections, batch, event, receiverMs } = scenario;
  const fanOut = accounts * endpoints;
  const top = await ceiling(event);
  const to = await receiver(receiverMs);
  const databaseUrl = await freshDatabase('posthorn_bench');
  const s = await service(databaseUrl, 3990, {}, [], main);
  try {
    const platform = await account(s, 'PLATFORM', ['events:publish']);
    const lists = await audiences(s, `http://127.0.0.1:${to.port}/`, groups, accounts, endpoints);
    const load = { key: platform.key, event, audiences: lists, batch, connections };
    const publish = (seconds: number): Promise<number> => publishTo(`http://127.0.0.1:${s.port}`, { ...load, seconds });
    await publish(WARM_UP_SECONDS);
    const before = (await settled(to)).count;
    await untilRead(databaseUrl);
    const cpu = { service: cpuOf(s.pid), postgres: cpuOfPostgres() };
    const startedAt = Number(process.hrtime.bigint());
    const publishedPerSecond = await publish(SECONDS);
    const after = await settled(to);
    const delivered = after.count - before;
    const deliveredPerSecond = delivered / ((after.lastAt - startedAt) / 1e9);
    const serviceMicros = ((cpuOf(s.pid) - cpu.service) * 1e6) / delivered;
    const postgresMicros = ((cpuOfPostgres() - cpu.postgres) * 1e6) / delivered;
    await untilRead(databaseUrl);
    await to.ask('reset');
    const job: PublisherJob = {
      port: s.port,
      key: platform.key,
      audiences: lists,
      event,
      batch,
      connections: 256,
      seconds: SECONDS,
    };
    await child('./publisher.ts', [JSON.stringify({ ...job, rate: deliveredPerSecond / fanOut / batch / 2 })]).line();
    const { p50, p99, count } = await settled(to);
    return {
      ceiling: top,
      publishedPerSecond,
      deliveredPerSecond,
      ofCeiling: deliveredPerSecond / top,
      p50,
      p99,
      serviceMicros,
      postgresMicros,
      // A reaction to many offers of one user publishes an event of its own.
      lost: (await countOf(databaseUrl, `events where event <> 'fraud_signal.detected'`)) * fanOut - count,
    };
  } finally {
    await s.stop();
    await to.stop();
  }
}

export interface Row extends Measured {
  name: string;
  /** Of each round, its part of the ceiling. */
  rounds: readonly number[];
}

const middleOf = <T>(values: readonly T[], by: (value: T) => number): T =>
  values.toSorted((a, b) => by(a) - by(b))[values.length >> 1] as T;

/** The round whose part of the ceiling is the median, with the medians of the latencies; losses of all rounds are added. */
function median(name: string, rounds: readonly Measured[]): Row {
  return {
    ...middleOf(rounds, (r) => r.ofCeiling),
    p50: middleOf(rounds, (r) => r.p50).p50,
    p99: middleOf(rounds, (r) => r.p99).p99,
    name,
    lost: rounds.reduce((sum, r) => sum + r.lost, 0),
    rounds: rounds.map((r) => r.ofCeiling),
  };
}

/** Every scenario in turn, some rounds of all: a machine that is slow for a minute is slow for both sides of a ratio. */
export async function deliveries(): Promise<Row[]> {
  const measured = new Map<string, Measured[]>(SCENARIOS.map((s) => [s.name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const scenario of SCENARIOS) {
      const m = await measure(scenario);
      console.error(
        `${scenario.name}: ${m.ofCeiling.toFixed(2)} of ${Math.round(m.ceiling)}/s, p50 ${m.p50.toFixed(1)} ms, p99 ${m.p99.toFixed(1)} ms`,
      );
      measured.get(scenario.name)?.push(m);
    }
  }
  return [...measured].map(([name, rounds]) => median(name, rounds));
}

const n = (value: number): string => Math.round(value).toLocaleString('en-US');
const share = (value: number): string => value.toFixed(2);
const line = (m: Row): string =>
  `| ${m.name} | ${n(m.ceiling)} | ${n(m.publishedPerSecond)} | ${n(m.deliveredPerSecond)} | ${share(m.ofCeiling)} | ${m.rounds.map(share).join(', ')} | ${m.p50.toFixed(1)} | ${m.p99.toFixed(1)} | ${n(m.serviceMicros)} | ${n(m.postgresMicros)} | ${m.lost} |`;

/** As RESULTS.md has it. */
export function deliveriesSection(rows: readonly Row[]): string {
  return `## Deliveries

\`node bench/deliveries.ts\`. Ceiling: bare undici \`dispatch\` of signed POSTs of the same size to a receiver that answers at
once, right before each run. Single events by POST /v1/events (wrk), one at a time on each of 128 (fan-out 10: 16, fan-out 100: 4) connections, or ${BATCH} in a
request on each of 64 (fan-out 10: 4), as who publishes much does; each is committed before its 202, delivered to a receiver over HTTP and its outcome stored with the attempt's log. Latency is from the
publisher's write to the receiver's read at half of the full rate. CPU is per delivery, read from /proc over the full-rate
run. The row is the round whose part of the ceiling is the median; of the latencies the medians of the rounds. Lost: deliveries of committed events, over all rounds.

| Scenario | ceiling/s | published/s | delivered/s | of ceiling | every round | p50 ms | p99 ms | service µs | PostgreSQL µs | lost |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map(line).join('\n')}

What the rest of the ceiling costs at fan-out 1: taking the request in (HTTP, key, limits, validation), the event's row,
the delivery's row with its attempt log, and PostgreSQL, the publisher and the receiver on the same two cores. At fan-out
10 the request and the event's row are shared by ten deliveries.
`;
}

/** Another version and this one, in turn: on machines that change from minute to minute, only such a ratio says what a change did. */
async function against(folder: string): Promise<void> {
  const main = resolve(folder, 'src/main.ts');
  const rounds = SCENARIOS.map((scenario) => ({ scenario, other: [] as Measured[], own: [] as Measured[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { scenario, other, own } of rounds) {
      other.push(await measure(scenario, main));
      own.push(await measure(scenario));
    }
  }
  console.log(
    `| Scenario | delivered/s, ${folder} | here | times | p50 ms | here | PostgreSQL µs | here | service µs | here |`,
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const { scenario, other, own } of rounds) {
    const both = (by: (m: Measured) => number): [other: number, own: number] => [
      by(middleOf(other, by)),
      by(middleOf(own, by)),
    ];
    const [before, now] = both((m) => m.deliveredPerSecond);
    const rest = [both((m) => m.p50), both((m) => m.postgresMicros), both((m) => m.serviceMicros)];
    console.log(
      `| ${scenario.name} | ${n(before)} | ${n(now)} | ${share(now / before)} | ${rest.flatMap((r) => r.map((v) => v.toFixed(1))).join(' | ')} |`,
    );
  }
}

if (import.meta.main) {
  if (AGAINST !== undefined) await against(AGAINST);
  else console.log(deliveriesSection(await deliveries()));
  process.exit(0);
}
