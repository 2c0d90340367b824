import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import type { ServiceProcess } from '../helpers/process.ts';
import type { System } from './system.ts';

/** How long something is away. Milliseconds. */
const AWAY_MS = 2000;
/** Longer than a lease, and than a worker may think that it still has it. */
const APART_MS = 12_000;

export interface Fault {
  name: string;
  /** Which node does not answer meanwhile, so that reads from it say nothing. */
  node?: (system: System) => ServiceProcess;
  /** The database is not there meanwhile. */
  withoutDatabase?: true;
  /** Brings it about and mends it; resolves when it is mended. */
  run(system: System): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function killAndStart(one: { kill(): Promise<void>; start(): Promise<void> }): Promise<void> {
  await one.kill();
  await pause(AWAY_MS);
  await one.start();
}

/** The worker that holds most parts of the fan-out, and the other one. */
async function byParts({ postgres, workers }: System): Promise<readonly [ServiceProcess, ServiceProcess]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ owner: string }>(
    `select lease_owner as owner from event_readers where part_of = 'webhook-fan-out' and not divided`,
  );
  await client.end();
  const held = (worker: ServiceProcess): number => rows.filter((r) => r.owner?.includes(`-${worker.pid}-`)).length;
  const [a, b] = workers;
  return held(a) >= held(b) ? [a, b] : [b, a];
}

/** The server that leads the stream of attempts. */
async function leaderOf({ brokers }: System): Promise<System['brokers'][number]> {
  const connection = await connect({ servers: brokers.map(({ url }) => url) });
  try {
    const { cluster } = await (await jetstreamManager(connection)).streams.info('posthorn');
    const leader = brokers[Number(cluster?.leader?.slice(1)) - 1];
    if (!leader) throw new Error(`nobody leads the stream: ${JSON.stringify(cluster)}`);
    return leader;
  } finally {
    await connection.close();
  }
}

/** Each in turn, under load. */
export const FAULTS: readonly Fault[] = [
  { name: 'kill -9 of the worker with most parts', run: async (s) => killAndStart((await byParts(s))[0]) },
  { name: 'kill -9 of the other worker', run: async (s) => killAndStart((await byParts(s))[1]) },
  { name: 'kill -9 of the first API node', node: (s) => s.apis[0], run: (s) => killAndStart(s.apis[0]) },
  { name: 'kill -9 of the second API node', node: (s) => s.apis[1], run: (s) => killAndStart(s.apis[1]) },
  { name: 'kill -9 of the server that leads the stream', run: async (s) => killAndStart(await leaderOf(s)) },
  {
    name: 'kill -9 of all NATS servers',
    async run({ brokers }) {
      await Promise.all(brokers.map((server) => server.kill()));
      await pause(AWAY_MS);
      await Promise.all(brokers.map((server) => server.start()));
    },
  },
  { name: 'kill -9 of Redis', run: (s) => killAndStart(s.redis) },
  { name: 'restart of PostgreSQL', withoutDatabase: true, run: (s) => s.postgres.restart() },
  { name: 'kill -9 of the pooler', withoutDatabase: true, run: (s) => killAndStart(s.pooler) },
  {
    name: 'a worker that is cut off from all but the receivers, and comes back',
    async run({ lifelines }) {
      for (const proxy of lifelines) proxy.hang();
      await pause(APART_MS);
      for (const proxy of lifelines) proxy.resume();
    },
  },
];
