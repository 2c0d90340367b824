import { Client } from 'pg';
import { type Child, child } from './processes.ts';

export interface WorkersOptions {
  databaseUrl: string;
  /** FANOUT_PARTITIONS. */
  partitions: number;
  workers: number;
  /** That of the first worker. */
  port: number;
  env?: Record<string, string>;
}

/** Processes with role `worker` and one sender thread each. */
export function startWorkers({ databaseUrl, partitions, workers, port, env = {} }: WorkersOptions): Child[] {
  return Array.from({ length: workers }, (_, w) =>
    child('../../src/main.ts', ['--role', 'worker'], {
      PORT: String(port + w),
      DATABASE_URL: databaseUrl,
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      FANOUT_PARTITIONS: String(partitions),
      WEBHOOK_SENDER_THREADS: '1',
      LOG_LEVEL: 'warn',
      ...env,
    }),
  );
}

/** Waits until each of the parts has a holder and each worker has its share of them. */
export async function untilShared({
  databaseUrl,
  partitions,
  workers,
}: Pick<WorkersOptions, 'databaseUrl' | 'partitions' | 'workers'>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const state = `select count(*)::int as parts, count(distinct lease_owner)::int as holders from event_readers
    where 'webhook-fan-out' in (name, part_of) and not divided and lease_until > now()`;
  for (let i = 0; ; i++) {
    const { rows } = await client.query<{ parts: number; holders: number }>(state);
    if (rows[0]?.parts === partitions && rows[0].holders === Math.min(partitions, workers)) break;
    if (i > 300) throw new Error(`the parts are not shared: ${JSON.stringify(rows)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  await client.end();
  // Workers tell each other every second that they are there; many of them take long to start on few cores.
  await new Promise((done) => setTimeout(done, 2500 + 1000 * workers));
}
