import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool, types } from 'pg';
import { lockDataDir } from './data-dir-lock.ts';
import { pgliteDialect } from './pglite-dialect.ts';
import { UNHURRIED } from './migrate.ts';
import type { Db, DbKind, PlatformTables } from './types.ts';

export interface Database {
  kind: DbKind;
  db: Db;
  /** A connection of its own, outside the pool (LISTEN, long exports). PostgreSQL only. */
  connect?(): Promise<Client>;
  /** All of it, for the `from` of another one. PGlite only. */
  dump?(): Promise<Blob>;
  close(): Promise<void>;
}

const INT8 = 20;
/** int8 as a number on both backends: counters and log positions stay far below 2^53. */
const numericInt8 = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** A statement that begins so is prepared once per connection under that name, and not parsed and planned again. */
const NAMED = /^\s*\/\*named:([\w-]+)\*\//;
/** Longest that node-postgres can wait: 24 days. Milliseconds. */
const NO_TIMEOUT = 2_147_483_647;

/**
 * Kysely has no way to name a prepared statement, so the name travels in the statement's first comment. Only for
 * statements whose plan does not depend on the data (bulk inserts, reads by key): a kept plan of any other goes stale
 * as tables grow (measured: a claim that read 90,800 rows).
 */
class NamingClient extends Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of the base class are passed on as they are
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    const name = typeof text === 'string' ? NAMED.exec(text)?.[1] : undefined;
    const query = super.query.bind(this) as (...a: unknown[]) => unknown;
    const isUnhurried = typeof text === 'string' && text.startsWith(UNHURRIED);
    const result =
      name === undefined && !isUnhurried
        ? query(...args)
        : query({ text, values, ...(isUnhurried ? { query_timeout: NO_TIMEOUT } : { name }) }, ...rest);
    if (result instanceof Promise) result.catch((error: Error) => this.#giveUpAfterTimeout(error));
    return result;
  }

  /** The server has not answered in time. Whatever it is doing, nothing more can be asked on this connection. */
  #giveUpAfterTimeout(error: Error): void {
    if (error.message === 'Query read timeout') this.connection.stream.destroy();
  }
}

/** A database that does not answer for this long is away: requests get 503 rather than hang. Milliseconds. */
const QUERY_TIMEOUT_MS = 30_000;
/**
 * The server ends a statement itself a little before that: else it would work on for nobody, and each repetition would add
 * a backend. A share of the query timeout.
 */
const STATEMENT_SHARE = 29 / 30;
/** Longest wait for a connection, a free one or a new one; then the same. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Statements of ours are short, and some look dear to the planner, which then has them compiled: that was a quarter of the
 * server's CPU while events were published and delivered (measured). Goes with the start of the connection, as below.
 */
const WITHOUT_JIT = '-c jit=off';

/** Oldest major version that the service is tested on. */
export const LEAST_POSTGRES = 15;

/** What tests set otherwise. */
export interface PostgresLimits {
  least?: number;
  queryTimeoutMs?: number;
  connectTimeoutMs?: number;
}

/** PostgreSQL of the least version or newer. Throws with a message for people when it is not reachable or too old. */
export async function openPostgres(url: string, poolSize: number, limits: PostgresLimits = {}): Promise<Database> {
  const { least = LEAST_POSTGRES, queryTimeoutMs = QUERY_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = limits;
  const options = {
    connectionString: url,
    types: numericInt8,
    application_name: 'posthorn',
    keepAlive: true,
    options: WITHOUT_JIT,
  };
  const pool = new Pool({
    ...options,
    Client: NamingClient,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    // Goes with the start of the connection: a SET would not hold behind a pooler in transaction mode.
    statement_timeout: Math.floor(queryTimeoutMs * STATEMENT_SHARE),
  });
  // A connection that the server closes must not end the process, neither an idle one nor one that is held between two
  // statements (the pool stops listening while it is held). The next statement on it fails, and the pool replaces it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    const { rows } = await pool.query<{ v: string }>("select current_setting('server_version_num') as v");
    const major = Math.floor(Number(rows[0]?.v) / 10_000);
    if (!(major >= least)) throw new Error(`PostgreSQL ${least} or newer is needed, not ${major}`);
  } catch (error) {
    await pool.end();
    throw new Error(`cannot use the database of DATABASE_URL: ${(error as Error).message || 'not reachable'}`, {
      cause: error,
    });
  }
  const db = new Kysely<PlatformTables>({ dialect: new PostgresDialect({ pool }) });
  return {
    kind: 'postgres',
    db,
    async connect() {
      const client = new Client(options);
      await client.connect();
      return client;
    },
    async close() {
      await db.destroy();
      // Kysely leaves a pool alone that it was never asked to use.
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * The embedded database: in `dir`, or in memory without one. The folder is locked for this process. A new database
 * begins as `from`, a dump of another one, which is ten times faster than from nothing (for tests).
 * PGlite never calls fsync: a crash of the process loses nothing, a power loss may.
 */
export async function openPglite(dir?: string, from?: Blob): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite');
  let release: (() => Promise<void>) | undefined;
  if (dir !== undefined) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    release = await lockDataDir(dir);
  }
  const pglite = await PGlite.create({
    ...(dir === undefined ? {} : { dataDir: join(dir, 'pglite') }),
    ...(from === undefined ? {} : { loadDataDir: from }),
    parsers: { [INT8]: Number },
  });
  const db = new Kysely<PlatformTables>({ dialect: pgliteDialect(pglite) });
  return {
    kind: 'pglite',
    db,
    dump: () => pglite.dumpDataDir('none'),
    async close() {
      await db.destroy();
      // Kysely leaves a database alone that it was never asked to use, and PGlite's timer would keep the process running.
      if (!pglite.closed) await pglite.close();
      await release?.();
    },
  };
}
