/**
 * What a delivery costs beyond its least: the service beside a prototype that only does the job (lib/prototype.ts), and with what else it does
 * taken away piece by piece. All of them run from the beginning to the end, each with a database and a receiver of its own, and are measured in turn:
 * so the code of all is compiled, and a share is of two times directly behind each other. `node bench/rest.ts`, with BENCH_SECONDS (default 12: at least
 * one time of the seals is within), BENCH_ROUNDS (default 5) and BENCH_VARIANTS (only so many of the variants, from the first).
 */
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { audiences, BATCH, ceiling, ONE, type Scenario, TEN } from './deliveries.ts';
import { cpuOf, cpuOfPostgres } from './lib/cpu.ts';
import { account, child, countOf, freshDatabase, service, withClient } from './lib/processes.ts';
import { type Receiver, receiver, settled } from './lib/receivers.ts';
import { untilRead } from './lib/until-read.ts';
import { publishTo } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 12);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Until the code that counts is compiled: what a delivery costs falls for about so long. */
const WARM_UP_SECONDS = 20;
/** The service of the first variant; those of the others are above it. */
const PORT = 3990;

/** What runs, and what is taken away of it. */
interface Variant {
  name: string;
  isPrototype?: true;
  /** Reactions and seals are held by a node that does not exist. */
  withoutReaders?: true;
  /** Indexes that the deliveries do without: of lists and searches, and of reactions. */
  withoutIndexes?: true;
  /** One request for a batch of events. */
  withoutRequests?: true;
}

const READERS = { withoutReaders: true } as const;
const INDEXES = { ...READERS, withoutIndexes: true } as const;
const ALL: readonly Variant[] = [
  { name: 'the prototype', isPrototype: true },
  { name: 'the service' },
  { name: `the prototype, ${BATCH} events in a request`, isPrototype: true, withoutRequests: true },
  { name: 'the service without reactions and seals', ...READERS },
  { name: 'and without indexes but those of deliveries', ...INDEXES },
  { name: `and with ${BATCH} events in a request`, ...INDEXES, withoutRequests: true },
];
const VARIANTS = ALL.slice(0, Number(process.env.BENCH_VARIANTS ?? ALL.length));

const SEARCHED = [
  ...['event', 'first_account', 'second_account', 'request_in_block', 'subject', 'trade', 'cause', 'wide_audience'].map(
    (index) => `events_${index}`,
  ),
  ...['account', 'unusual', 'event', 'dead', 'dead_letters'].map((index) => `webhook_deliveries_${index}`),
];

interface Measured {
  deliveredPerSecond: number;
  serviceMicros: number;
  postgresMicros: number;
}

/** A system that takes events, its load for so many seconds, and what it has to be rid of at the end. */
interface Running {
  pid: number;
  to: Receiver;
  publish: (seconds: number) => Promise<number>;
  lost: (received: number) => Promise<number>;
  settle: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Publishes single events, or batches with as many events under way. */
function publisher(
  { connections, event }: Scenario,
  { withoutRequests }: Variant,
  { url, ...to }: { url: string; key: string; audiences: readonly (readonly string[])[] },
): Running['publish'] {
  const single = { ...to, event, connections };
  const load = withoutRequests ? { ...single, batch: BATCH, connections: Math.ceil(connections / BATCH) } : single;
  return (seconds) => publishTo(url, { ...load, seconds });
}

/** Where a system is: one of several beside each other. */
interface Place {
  to: Receiver;
  databaseUrl: string;
  port: number;
}

async function prototype(scenario: Scenario, variant: Variant, { to, databaseUrl }: Place): Promise<Running> {
  const { groups, accounts, endpoints } = scenario;
  const started = child('./prototype.ts', [databaseUrl, String(to.port), String(endpoints)]);
  const url = `http://127.0.0.1:${await started.line()}`;
  const lists = Array.from({ length: groups }, () => Array.from({ length: accounts }, () => randomUUID()));
  return {
    pid: started.process.pid as number,
    to,
    publish: publisher(scenario, variant, { url, key: 'none', audiences: lists }),
    async lost(received) {
      const due = (await countOf(databaseUrl, 'events')) * accounts * endpoints;
      const [written, open] = [await countOf(databaseUrl, 'deliveries'), await countOf(databaseUrl, 'outbox')];
      if (written !== received || open > 0) throw new Error(`${received} received, ${written} written, ${open} open`);
      return due - received;
    },
    settle: async () => undefined,
    async stop() {
      await started.stop();
      await to.stop();
    },
  };
}

/** Whoever moves a cursor next finds another owner, and asks in vain from then on. More than once: one may be taken in this moment. */
async function holdReaders(client: Client): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await client.query(
      `update event_readers set lease_owner = 'nobody', lease_until = 'infinity' where coalesce(part_of, name) <> 'webhook-fan-out'`,
    );
    await new Promise((done) => setTimeout(done, 500));
  }
}

async function posthorn(scenario: Scenario, variant: Variant, { to, databaseUrl, port }: Place): Promise<Running> {
  const { groups, accounts, endpoints } = scenario;
  const s = await service(databaseUrl, port);
  try {
    const { key } = await account(s, 'PLATFORM', ['events:publish']);
    const lists = await audiences(s, `http://127.0.0.1:${to.port}/`, groups, accounts, endpoints);
    await withClient(databaseUrl, async (client) => {
      if (variant.withoutReaders) await holdReaders(client);
      if (variant.withoutIndexes) await client.query(`drop index ${SEARCHED.join(', ')}`);
    });
    const url = `http://127.0.0.1:${s.port}`;
    return {
      pid: s.pid,
      to,
      publish: publisher(scenario, variant, { url, key, audiences: lists }),
      lost: async (received) =>
        (await countOf(databaseUrl, `events where event <> 'fraud_signal.detected'`)) * accounts * endpoints - received,
      settle: () => (variant.withoutReaders ? Promise.resolve() : untilRead(databaseUrl)),
      async stop() {
        await s.stop();
        await to.stop();
      },
    };
  } catch (error) {
    await s.stop();
    throw error;
  }
}

/** Starts every variant, and has each warm up. */
async function start(scenario: Scenario): Promise<Running[]> {
  const all: Running[] = [];
  try {
    for (const [i, variant] of VARIANTS.entries()) {
      const [to, databaseUrl] = [await receiver(), await freshDatabase(`posthorn_bench_${i}`)];
      const place = { to, databaseUrl, port: PORT + i };
      const running = await (variant.isPrototype ? prototype : posthorn)(scenario, variant, place).catch(
        async (error: unknown) => {
          await to.stop();
          throw error;
        },
      );
      all.push(running);
      await running.publish(WARM_UP_SECONDS);
      await settled(running.to);
      await running.settle();
    }
    return all;
  } catch (error) {
    await stop(all);
    throw error;
  }
}

async function stop(all: readonly Running[]): Promise<void> {
  for (const running of all) await running.stop();
}

/** One of them at full speed, while the others have nothing to do. PostgreSQL's CPU is all of it: what the others ask then, and what it tidies up, are some per cent of it. */
async function measure(running: Running): Promise<Measured> {
  const before = (await settled(running.to)).count;
  const cpu = { service: cpuOf(running.pid), postgres: cpuOfPostgres() };
  const startedAt = Number(process.hrtime.bigint());
  await running.publish(SECONDS);
  const { count, lastAt } = await settled(running.to);
  const delivered = count - before;
  // What is read later is a cost of the same events.
  await running.settle();
  return {
    deliveredPerSecond: delivered / ((lastAt - startedAt) / 1e9),
    serviceMicros: ((cpuOf(running.pid) - cpu.service) * 1e6) / delivered,
    postgresMicros: ((cpuOfPostgres() - cpu.postgres) * 1e6) / delivered,
  };
}

export interface RestRow extends Measured {
  fanOut: number;
  name: string;
  /** Medians of the rounds, each against the same round's. */
  ofCeiling: number;
  ofPrototype: number;
  /** CPU of service and PostgreSQL for a delivery: the prototype's part of this one's. */
  ofPrototypeByCpu: number;
  /** Of each round, its part of the prototype's speed. */
  rounds: readonly number[];
  /** Of all that was ever published. */
  lost: number;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

const cpuFor = ({ serviceMicros, postgresMicros }: Measured): number => serviceMicros + postgresMicros;

/** Every variant in turn, some rounds of all: a machine that is slow for a minute is slow for both sides of a ratio. */
export async function rest(): Promise<RestRow[]> {
  const rows: RestRow[] = [];
  for (const scenario of [ONE, TEN]) {
    const rounds: { top: number; runs: Measured[] }[] = [];
    const lost: number[] = [];
    const all = await start(scenario);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const top = await ceiling(scenario.event);
        const runs: Measured[] = [];
        // From the first to the last and back: what one leaves the database to do is not always at the cost of the same next one.
        const order = round % 2 === 0 ? [...all.keys()] : [...all.keys()].toReversed();
        for (const i of order) runs[i] = await measure(all[i] as Running);
        console.error(runs.map((r) => Math.round(r.deliveredPerSecond)).join(' '), 'of', Math.round(top));
        rounds.push({ top, runs });
      }
      for (const running of all) lost.push(await running.lost((await settled(running.to)).count));
    } finally {
      await stop(all);
    }
    for (const [i, { name }] of VARIANTS.entries()) {
      const of = (by: (run: Measured) => number): number => median(rounds.map((r) => by(r.runs[i] as Measured)));
      const ofPrototype = rounds.map(
        ({ runs }) => (runs[i] as Measured).deliveredPerSecond / (runs[0] as Measured).deliveredPerSecond,
      );
      rows.push({
        fanOut: scenario.accounts * scenario.endpoints,
        name,
        deliveredPerSecond: of((r) => r.deliveredPerSecond),
        serviceMicros: of((r) => r.serviceMicros),
        postgresMicros: of((r) => r.postgresMicros),
        lost: lost[i] as number,
        ofCeiling: median(rounds.map(({ top, runs }) => (runs[i] as Measured).deliveredPerSecond / top)),
        ofPrototype: median(ofPrototype),
        ofPrototypeByCpu: median(rounds.map(({ runs }) => cpuFor(runs[0] as Measured) / cpuFor(runs[i] as Measured))),
        rounds: ofPrototype,
      });
    }
  }
  return rows;
}

/** As RESULTS.md has it. */
export function restSection(rows: readonly RestRow[]): string {
  const n = (value: number): string => Math.round(value).toLocaleString('en-US');
  const share = (value: number): string => value.toFixed(2);
  const lines = rows.map(
    (r) =>
      `| ${r.fanOut} | ${r.name} | ${n(r.deliveredPerSecond)} | ${share(r.ofCeiling)} | ${share(r.ofPrototype)} | ${r.rounds.map(share).join(', ')} | ${share(r.ofPrototypeByCpu)} | ${n(r.serviceMicros)} | ${n(r.postgresMicros)} | ${r.lost} |`,
  );
  return `### What the rest costs

\`node bench/rest.ts\`: events as above, single ones but where it says so, by a prototype that does the least that is the same job (\`bench/lib/prototype.ts\`: group
commit with an outbox row, hand-over in memory, a signed POST, each delivery's row written once in bulk; one thread, and no framework, key, validation, limits, log of
attempts, retries, reactions, seals, nor an index but the keys), by the service, and by the service without this and then that. All run from beginning to end and are measured in turn,
${SECONDS} s each after ${WARM_UP_SECONDS} s to warm up. Medians of ${ROUNDS} rounds; shares are of the same round: of the speed, and of the CPU of service and PostgreSQL for a delivery.

| Fan-out | what | delivered/s | of ceiling | of prototype | every round | of its CPU | service µs | PostgreSQL µs | lost |
|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(restSection(await rest()));
  process.exit(0);
}
