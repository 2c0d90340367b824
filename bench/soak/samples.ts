import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';

/** Tables whose rows are changed again and again, so that they would grow by dead rows alone. */
const CHANGING = [
  'event_readers',
  'change_versions',
  'webhook_endpoints',
  'webhook_endpoint_health',
  'post_counts',
  'post_counters',
  'post_upkeep',
] as const;

export interface Sample {
  rssMb: number;
  handles: number;
  connections: number;
  /** Bytes of tables and indexes per row, of what only grows. */
  eventBytes: number;
  eventIndexBytes: number;
  deliveryBytes: number;
  deliveryIndexBytes: number;
  /** Of the tables whose rows change again and again, with their indexes. */
  changingKb: number;
  /** Dead rows over all tables, in thousands. */
  deadThousands: number;
  p50: number;
  p99: number;
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** What the database and the service use now. */
export async function sample(databaseUrl: string, pid: number): Promise<Omit<Sample, 'p50' | 'p99'>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const one = async (text: string): Promise<number> =>
    Number(Object.values((await client.query(text)).rows[0] ?? {})[0]);
  // Positions have few gaps, each event has one delivery, and counting ten million rows would be a load of its own.
  const events = Math.max(1, await one('select max(position) from events'));
  const deliveries = Math.max(1, await one(`select position from event_readers where name = 'webhook-fan-out'`));
  const ofParts = (fn: string): string =>
    `select sum(${fn}(relid)) from pg_partition_tree('webhook_deliveries') where isleaf`;
  const sampled = {
    rssMb: rssOf(pid),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    connections: await one(
      'select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ),
    eventBytes: (await one(`select pg_table_size('events')`)) / events,
    eventIndexBytes: (await one(`select pg_indexes_size('events')`)) / events,
    deliveryBytes: (await one(ofParts('pg_table_size'))) / deliveries,
    deliveryIndexBytes: (await one(ofParts('pg_indexes_size'))) / deliveries,
    changingKb:
      (await one(
        `select sum(pg_total_relation_size(name::regclass)) from unnest(array['${CHANGING.join("','")}']) as name`,
      )) / 1024,
    deadThousands: (await one('select sum(n_dead_tup) from pg_stat_user_tables')) / 1000,
  };
  await client.end();
  return sampled;
}
