import { Client } from 'pg';
import { type TemporaryCluster, temporaryCluster } from '../../scripts/lib/postgres.ts';
import { cleanup } from './cleanup.ts';
import { testDb } from './database.ts';
import { until } from './engine.ts';

const made = testDb === 'postgres' ? await temporaryCluster() : 'a replica needs PostgreSQL';
if (typeof made !== 'string') cleanup(() => made.stop());

/** Options of a test that needs a replica. */
export const needsReplica = { skip: typeof made === 'string' && made } as const;

/** The primary of this test file, a cluster of its own; only where the test is not skipped. */
export const primary = made as TemporaryCluster;

/** A new streaming replica, of the primary if nothing else is said; gone after the test file. */
export async function startReplica(of: TemporaryCluster = primary): Promise<TemporaryCluster> {
  const replica = await of.replica();
  cleanup(() => replica.stop());
  await until('it follows', () => hasAll(of, replica));
  return replica;
}

/** The address of a new, empty database of a cluster. */
export async function newDatabase(name: string, at: TemporaryCluster = primary): Promise<string> {
  await run(at.url, `create database ${name}`);
  return inDatabase(at, name);
}

/** The address of a database of that name, here or on a replica. */
export function inDatabase(at: { url: string }, name: string): string {
  const url = new URL(at.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** The rows that statements give, each run by itself, over a connection of its own. */
export async function run(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  // A server that is stopped while it answers.
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Whether the replica has replayed all that the primary has written by now. */
export async function hasAll(of: { url: string }, replica: { url: string }): Promise<boolean> {
  const [row] = await run(of.url, 'select pg_current_wal_flush_lsn()::text as lsn');
  const [told] = await run(replica.url, `select pg_last_wal_replay_lsn() >= '${String(row?.lsn)}'::pg_lsn as ok`);
  return told?.ok === true;
}
