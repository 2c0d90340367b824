/**
 * From what each thing costs (bench/costs.json, by bench/costs.ts) to how many processes a marketplace needs, what gives way
 * first, and how far this is right where it was measured. Prints the table of docs/operations/capacity.md; SIMULATE_EVENTS: events per second,
 * SIMULATE_FAN_OUT, SIMULATE_RETRIES, SIMULATE_RECEIVER_SECONDS, SIMULATE_READS and SIMULATE_VIEWS (of each event), SIMULATE_YEARS of events on the disk: another marketplace.
 */
import { readFileSync } from 'node:fs';
import type { Costs } from './costs.ts';
import type { Usage } from './costs/meter.ts';
import {
  blogOf,
  burst,
  type Demand,
  giveWay,
  installationsFor,
  type Limit,
  LIMITS,
  mostOn,
  partOf,
  planFor,
  usedBy,
} from './simulate/model.ts';

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && Number.isFinite(value)) return value;
  console.error(`${name} has to be a number: ${text}`);
  process.exit(1);
}
const setting = (name: string, usual: number): number => numberOf(name, process.env[name] ?? String(usual));

const EVENTS = (process.env.SIMULATE_EVENTS ?? '10,1000,100000')
  .split(',')
  .map((text) => numberOf('SIMULATE_EVENTS', text));
/** Of each event: endpoints, reads and views; of each delivery: further attempts; of receivers: seconds. */
const FAN_OUT = setting('SIMULATE_FAN_OUT', 2);
const RETRIES = setting('SIMULATE_RETRIES', 0.02);
const RECEIVER_SECONDS = setting('SIMULATE_RECEIVER_SECONDS', 0.2);
const READS = setting('SIMULATE_READS', 5);
const VIEWS = setting('SIMULATE_VIEWS', 1);
const YEARS = setting('SIMULATE_YEARS', 1);
const BURST = { factor: 3, seconds: 60 };

const demand = (eventsPerSecond: number): Demand => ({
  eventsPerSecond,
  fanOut: FAN_OUT,
  retries: RETRIES,
  receiverSeconds: RECEIVER_SECONDS,
  readsPerSecond: READS * eventsPerSecond,
  viewsPerSecond: VIEWS * eventsPerSecond,
  years: YEARS,
});

const n = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value >= 10 ? value.toFixed(0) : value.toPrecision(2);

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

const NAMES: Readonly<Record<Limit, string>> = {
  databaseCores: 'cores of PostgreSQL',
  walMegabytesPerSecond: 'write-ahead log',
  terabytes: 'disk',
  workers: 'parts to share',
  serialCores: 'the process of one reaction',
};

function row(eventsPerSecond: number, costs: Costs): string {
  const of = demand(eventsPerSecond);
  const installations = installationsFor(of, costs);
  // Each of them, where there are several.
  const part = partOf(of, installations);
  const plan = planFor(part, costs);
  const blog = planFor(blogOf(of), costs);
  const { waiting, drainSeconds, longestSeconds } = burst(part, plan, BURST);
  const { used } = plan;
  const figures = [
    count(eventsPerSecond),
    count(installations),
    ...[plan.apis, plan.workers, plan.partitions].map(count),
    ...[
      plan.databaseCores,
      used.walBytes / 1e6,
      plan.shares.terabytes * LIMITS.terabytes,
      (used.networkBytes * 8) / 1e6,
      plan.inFlight,
    ].map(n),
    `${n(waiting)}, ${n(longestSeconds)} s, ${n(drainSeconds)} s`,
    `${count(blog.apis)}, ${n(blog.databaseCores)}`,
  ];
  return `| ${figures.join(' | ')} |`;
}

const COST_ROWS = ['read', 'view', 'event', 'delivery', 'retry'] as const;

function costRow(name: string, used: Usage): string {
  const micros = [used.api, used.worker, used.postgres].map((s) => n(s * 1e6));
  return `| ${name} | ${micros.join(' | ')} | ${used.transactions.toFixed(2)} | ${n(used.walBytes)} | ${n(used.storedBytes)} | ${n(used.networkBytes)} |`;
}

/** What was foretold for what was measured as well: of each figure, foretold / measured. */
function checkRows(costs: Costs): string[] {
  const rows = costs.checks.map(({ name, used, workers, ...asked }) => {
    const foretold = usedBy({ retries: 0, receiverSeconds: 0, years: 1, ...asked }, costs, { apis: 1, workers });
    const ratio = (kind: keyof Usage): string => (foretold[kind] / used[kind]).toFixed(2);
    const kinds = ['api', 'worker', 'postgres', 'transactions', 'walBytes', 'storedBytes', 'networkBytes'] as const;
    return `| ${name}, ${count(asked.eventsPerSecond)} events/s | ${kinds.map(ratio).join(' | ')} |`;
  });
  const most = mostOn(costs);
  return [
    ...rows,
    `\nEvents a second that ${costs.cores} cores carry with load, receiver and database on them, fan-out 1: foretold ${count(most)}, measured ${count(costs.most.eventsPerSecond)} (${(most / costs.most.eventsPerSecond).toFixed(2)}): at full load more comes at once than\nat any rate that the costs are of, so what is foretold there is on the safe side.`,
  ];
}

/** As RESULTS.md has it: what was measured, and how far what is foretold from it holds. */
export function costsSection(costs: Costs): string {
  const { low, high } = costs.rates;
  return `## What things cost

\`node bench/costs.ts\`: one process that takes requests and one that sends, of each thing ${low} a second and ${n(high)} a second, beyond what is used when nothing happens, which
is for a second; with bodies of 0.2 kB, cached reads, 64 merchants. A delivery is what one more endpoint of an event costs, a retry one more attempt that
fails. On ${costs.cores} cores of ${costs.machine}.

| One, at ${low}/s and at ${n(high)}/s | api µs | worker µs | PostgreSQL µs | transactions | log bytes | stored bytes | network bytes |
|---|---|---|---|---|---|---|---|
${COST_ROWS.flatMap((name) => [costRow(`${name}, ${low}/s`, costs[name].low), costRow(`${name}, ${n(high)}/s`, costs[name].high)]).join('\n')}
${costRow('a second in which nothing happens', costs.idle)}
${costRow('the same, each worker more', costs.idleWorker)}
${costRow(`a second of ${n(high)} events of others, each worker more`, costs.look)}

What \`bench/simulate.ts\` foretells from these for what was measured as well, by what was measured:

| foretold / measured | api | worker | PostgreSQL | transactions | log | stored | network |
|---|---|---|---|---|---|---|---|
${checkRows(costs).join('\n')}
`;
}

/** As docs/operations/capacity.md has it. */
export function capacityTable(costs: Costs): string {
  const limits = giveWay(demand(1), costs).map(({ limit, eventsPerSecond: n }) => `${NAMES[limit]} at ${count(n)}`);
  return `| events/s | installations | api | workers | parts | PostgreSQL cores | log MB/s | disk TB | network Mbit/s | requests under way | a minute of ${BURST.factor} times as many: waiting, longest, until drained | the blog: api, PostgreSQL cores |
|---|---|---|---|---|---|---|---|---|---|---|---|
${EVENTS.map((events) => row(events, costs)).join('\n')}

Of one installation gives way, in this order and at so many events a second: ${limits.join(', ')}.
`;
}

if (import.meta.main) {
  const costs = JSON.parse(readFileSync(new URL('./costs.json', import.meta.url), 'utf8')) as Costs;
  console.log(costsSection(costs));
  console.log(capacityTable(costs));
}
