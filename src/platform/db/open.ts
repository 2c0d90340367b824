import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, types } from 'pg';
import { makeFolder } from '../../lib/make-folder.ts';
import { DataDirInUseError, lockDataDir } from './data-dir-lock.ts';
import type { TellFull } from './fitting-pool.ts';
import { type EmbeddedServer, pgliteDialect } from './pglite-dialect.ts';
import { openPool } from './pool.ts';
import type { Db, DbKind, PlatformTables } from './types.ts';

export interface Database {
  kind: DbKind;
  db: Db;
  /** There when a pooler in transaction mode is between here and PostgreSQL. */
  pooler?: {
    /** Statements of SQL that an administrator has yet to run: what the service else sets for its connections itself. */
    unset: readonly string[];
  };
  /** A connection of its own, outside the pool, for LISTEN. PostgreSQL only, and only where one can be had. */
  connect?: () => Promise<Client>;
  /** Whether that connection is certain to carry LISTEN, from the database of the pool; else it has to be tried. */
  isConnectSure?: boolean;
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

/** A database that does not answer for this long is away: requests get 503 rather than hang. Milliseconds. */
const QUERY_TIMEOUT_MS = 30_000;
/** Longest wait for a connection, a free one or a new one; then the same. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A connection that is not needed for this long is closed: polls of every second need a second one now and then, and to open it costs more than to
 * keep it. Less than the wait for an answer: where the database's host vanished, no statement gets one from before after the first have failed. Milliseconds.
 */
const IDLE_MS = 20_000;

/** Silence of a connection after which it is asked whether the other side is still there. Milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/** Oldest major version that the service is tested on. */
export const LEAST_POSTGRES = 15;
/** Others lack letters, so that what was accepted could not be written, or count bytes in place of letters (SQL_ASCII). */
const ENCODING = 'UTF8';

export interface PostgresOptions {
  /** Whether the address is that of a pooler in transaction mode. Default: that is found out. */
  pooled?: boolean | undefined;
  /** Address of PostgreSQL itself, for LISTEN. Default: the same, unless that is a pooler's. */
  listenUrl?: string | undefined;
  /** Told once, when the server gave fewer connections than the pool may have. */
  tellFull?: TellFull;
  /** What follows is for tests. */
  least?: number;
  queryTimeoutMs?: number;
  connectTimeoutMs?: number;
  now?: () => number;
}

/** The settings on how PostgreSQL is reached, beside its address. */
export const postgresOptions = (config: {
  DATABASE_POOLED: boolean | undefined;
  DATABASE_LISTEN_URL: string | undefined;
}): PostgresOptions => ({ pooled: config.DATABASE_POOLED, listenUrl: config.DATABASE_LISTEN_URL });

/** Says which setting a failure is about. */
const unusable = (setting: string, error: unknown): Error =>
  new Error(`cannot use the database of ${setting}: ${(error as Error).message || 'not reachable'}`, { cause: error });

/** How a server is reached, for whatever connects. */
export const serverOf = (url: string) => ({
  connectionString: url,
  types: numericInt8,
  application_name: 'posthorn',
  // A connection may be silent for minutes, as while an index is made: a peer that is gone is found out, a firewall is kept open.
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});

/** PostgreSQL of the least version or newer. Throws with a message for people when it is not reachable, too old or of another encoding. */
export async function openPostgres(url: string, poolSize: number, options: PostgresOptions = {}): Promise<Database> {
  const { least = LEAST_POSTGRES, queryTimeoutMs = QUERY_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const server = serverOf(url);
  const limits = {
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: queryTimeoutMs,
  };
  const { pooled, tellFull, now } = options;
  const opened = await openPool({ base: { ...server, ...limits }, pooled, tellFull, now }).catch((error: unknown) => {
    throw unusable('DATABASE_URL', error);
  });
  const { pool, major, encoding, isPooled, isThroughPooler, unset } = opened;
  if (!(major >= least)) {
    await pool.end();
    throw unusable('DATABASE_URL', new Error(`PostgreSQL ${least} or newer is needed, not ${major}`));
  }
  if (encoding !== ENCODING) {
    await pool.end();
    const advice = `make it with: create database … encoding '${ENCODING}' locale 'C' template template0`;
    throw unusable('DATABASE_URL', new Error(`its encoding is ${encoding}, which cannot hold every text; ${advice}`));
  }
  const db = new Kysely<PlatformTables>({ dialect: new PostgresDialect({ pool }) });
  const { listenUrl } = options;
  const connect = async (): Promise<Client> => {
    const client = new Client({
      ...server,
      connectionString: listenUrl ?? url,
      connectionTimeoutMillis: connectTimeoutMs,
    });
    // The server may end it in the moment in which it is there, before whoever asked for it listens; without a listener that would
    // end the process. The first statement on it fails then.
    client.on('error', () => undefined);
    await client.connect().catch((error: unknown) => {
      if (listenUrl === undefined) void pool.makeRoom(error);
      throw unusable(listenUrl === undefined ? 'DATABASE_URL' : 'DATABASE_LISTEN_URL', error);
    });
    return client;
  };
  return {
    kind: 'postgres',
    db,
    ...(isPooled ? { pooler: { unset } } : {}),
    ...(isPooled && listenUrl === undefined ? {} : { connect }),
    isConnectSure: listenUrl === undefined && !isThroughPooler,
    async close() {
      await db.destroy();
      // Kysely leaves a pool alone that it was never asked to use.
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * With less memory the embedded database stays as V8 first compiles it: to optimize it, its largest function (the parser of SQL) alone
 * takes 600 MB for a second, at which the system would kill the process. It answers a fifth to two fifths fewer requests then (events
 * 3,400 and 2,100 a second, lists without the cache 680 and 550). Measured; bytes.
 */
const MEMORY_TO_OPTIMIZE = 1.5 * 2 ** 30;

/** What this process may use: of the machine, or of its container where that has less (0 or a huge number: it has no bound). Bytes. */
export const memoryOfProcess = (ofMachine = totalmem(), ofContainer = process.constrainedMemory()): number =>
  Math.min(ofMachine, ofContainer || Number.POSITIVE_INFINITY);

/** PGlite in `dataDir`, or in memory without one; a new one begins as `loadDataDir`, a dump of another. `memory`: what there is of it; bytes. */
export async function createPglite(
  options: Pick<PGliteOptions, 'dataDir' | 'loadDataDir'>,
  memory = memoryOfProcess(),
): Promise<PGlite> {
  // Of all WebAssembly of the process, and for good.
  if (memory < MEMORY_TO_OPTIMIZE) setFlagsFromString('--no-wasm-tier-up --no-wasm-dynamic-tiering');
  const { PGlite } = await import('@electric-sql/pglite');
  return PGlite.create({ ...options, parsers: { [INT8]: Number } });
}

/** The database that this one has. It is closed with it. */
export function embeddedDatabase(pglite: EmbeddedServer): Database {
  const db = new Kysely<PlatformTables>({ dialect: pgliteDialect(pglite) });
  return {
    kind: 'pglite',
    db,
    dump: () => pglite.dumpDataDir('none'),
    async close() {
      await db.destroy();
      // Kysely leaves a database alone that it was never asked to use, and PGlite's timer would keep the process running.
      if (!pglite.closed) await pglite.close();
    },
  };
}

const folderIn = (dir: string): string => join(dir, 'pglite');

/** Whether `openPglite` would find a database in `dir`, and not make one. */
export const holdsPglite = (dir: string): boolean => existsSync(folderIn(dir));

async function lockedFolder(dir: string): Promise<() => Promise<void>> {
  await makeFolder(dir);
  return lockDataDir(dir);
}

/** What PGlite throws has no message where the system refused something, and one about its compiler where PostgreSQL ended itself. */
function unusableFolder(dir: string, error: unknown): Error {
  if (error instanceof DataDirInUseError) return error;
  const isSystem = error instanceof Error && 'syscall' in error;
  const why = isSystem
    ? error.message
    : "it ended by itself; is the disk full, are its files another user's, or is this an incomplete copy?";
  return new Error(`cannot use the embedded database in ${dir}: ${why}`, { cause: error });
}

/**
 * The embedded database: in `dir`, or in memory without one. The folder is locked for this process. A new database
 * begins as `from`, a dump of another one, which is ten times faster than from nothing (for tests).
 * PGlite never calls fsync: a crash of the process loses nothing, a power loss may.
 */
export async function openPglite(dir?: string, from?: Blob): Promise<Database> {
  let release: (() => Promise<void>) | undefined;
  if (dir !== undefined) {
    release = await lockedFolder(dir).catch((error: unknown) => {
      throw unusableFolder(dir, error);
    });
  }
  const pglite = await createPglite({
    ...(dir === undefined ? {} : { dataDir: folderIn(dir) }),
    ...(from === undefined ? {} : { loadDataDir: from }),
  }).catch(async (error: unknown) => {
    await release?.();
    throw dir === undefined ? error : unusableFolder(dir, error);
  });
  const database = embeddedDatabase(pglite);
  return {
    ...database,
    async close() {
      await database.close();
      await release?.();
    },
  };
}
