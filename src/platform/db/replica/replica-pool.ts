import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { connectionOf } from '../database-of.ts';
import type { TellFull } from '../fitting-pool.ts';
import { serverOf } from '../open.ts';
import { openPool } from '../pool.ts';
import type { Db, PlatformTables } from '../types.ts';

/** Longest statement: a little more than a count over time may take (read-much.ts). Milliseconds. */
const QUERY_TIMEOUT_MS = 12_000;
/** Longest wait for a connection. Milliseconds. */
const CONNECT_TIMEOUT_MS = 1000;

export interface ReplicaPoolOptions {
  url: string;
  size: number;
  /** Whether the address is that of a pooler in transaction mode; undefined: that is found out. */
  pooled: boolean | undefined;
  /** Told once, when the replica gave fewer connections than `size`. */
  tellFull?: TellFull;
}

/** Connections to the replica, of which each use sees one server from its beginning to its end. */
export interface ReplicaPool {
  /** What the role of the replica lacks behind a pooler, as statements of SQL for the primary. */
  unset: readonly string[];
  /** Runs `use` on one connection, without a transaction; behind a pooler in a read-only one. */
  on<T>(use: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Throws what the server or the pooler says. */
export async function openReplicaPool({ url, size, pooled, tellFull }: ReplicaPoolOptions): Promise<ReplicaPool> {
  const base = {
    ...serverOf(url),
    max: size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  };
  const { pool, isPooled, unset } = await openPool({ base, pooled, tellFull });
  const db: Db = new Kysely<PlatformTables>({ dialect: new PostgresDialect({ pool }) });
  return {
    unset,
    on: (use) => {
      const used = (connection: Db) => use(connectionOf(db, connection));
      if (!isPooled) return db.connection().execute(used);
      // Whatever the role is set to: a snapshot must not be as old as the first look at how far the replica is.
      return db.transaction().setIsolationLevel('read committed').setAccessMode('read only').execute(used);
    },
    close: () => closePool(db, pool),
  };
}

async function closePool(db: Db, pool: Pool): Promise<void> {
  await db.destroy();
  // Kysely leaves a pool alone that it was never asked to use.
  if (!pool.ending) await pool.end();
}
