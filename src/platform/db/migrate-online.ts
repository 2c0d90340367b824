import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { monotonicNow } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { isRetryable } from './errors.ts';
import { MigrationError } from './migration-error.ts';
import { type Migration, splitStatements } from './migration-files.ts';
import type { Db } from './types.ts';
import { unbounded } from './unbounded.ts';

/**
 * Another one than that of the files that are not online: a node of an earlier version waits for that one in a statement, which has
 * a snapshot, which the making of an index waits for.
 */
export const ONLINE_LOCK = 4_772_019_117;
/** Another node migrates: it is looked again after this. Milliseconds. */
export const TURN_PAUSE_MS = 200;
/** Between two words on something that takes long. Milliseconds. */
export const TELL_EVERY_MS = 10_000;

const MADE =
  /^\s*create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+([a-z_][a-z0-9_]*)\s+on\s+[a-z_][a-z0-9_]*\s/;
const DROPPED = /^\s*drop\s+index\s+concurrently\s+if\s+exists\s+([a-z_][a-z0-9_]*)\s*;?\s*$/;
/** A row when the index of this name was made by half: it is used by nobody, and kept by all who write. */
export const INVALID = 'select from pg_index where indexrelid = to_regclass($1) and not indisvalid';

/** The index that a statement of an online file makes or drops. Throws on any other statement. */
export function indexOf(statement: string): { name: string; isMade: boolean } {
  const made = MADE.exec(statement)?.[1];
  const dropped = DROPPED.exec(statement)?.[1];
  const name = made ?? dropped;
  if (name === undefined) {
    throw new MigrationError(
      `an online migration may only create index concurrently if not exists and drop index concurrently if exists, in lower case: ${statement}`,
    );
  }
  return { name, isMade: made !== undefined };
}

async function dropHalfMade(client: Client, name: string): Promise<void> {
  const { rows } = await client.query(INVALID, [name]);
  if (rows.length > 0) await client.query(`drop index concurrently if exists ${name}`);
}

async function run(client: Client, migration: Migration, statement: string): Promise<void> {
  const { name, isMade } = indexOf(statement);
  try {
    if (isMade) await dropHalfMade(client, name);
    await client.query(statement);
  } catch (error) {
    // What is left of it would go on refusing rows, should it be a unique one.
    if (isMade) await dropHalfMade(client, name).catch(() => undefined);
    // Of a deadlock it was the victim: it is made again.
    if (isRetryable(error)) throw error;
    throw new MigrationError(`the migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** The backend behind the connection; throws when a pooler is in between, which would leave the lock to whoever comes next. */
async function backendOf(client: Client & { processID?: number }): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  if (pid !== client.processID) throw elsewhere();
  return pid;
}

const elsewhere = (): MigrationError =>
  new MigrationError(
    'an index cannot be made beside those that write: DATABASE_LISTEN_URL, or DATABASE_URL where that is not set, does not lead to PostgreSQL itself, or to another database than DATABASE_URL. Set DATABASE_LISTEN_URL to the address of PostgreSQL and of the same database',
  );

/** Whether the lock of the connection is in the database of the pool. */
async function isSeen(db: Db, pid: number): Promise<boolean> {
  const { rows } = await sql`select from pg_locks
    where locktype = 'advisory' and granted and pid = ${pid}
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows.length > 0;
}

/** Says every ten seconds that it is still at it, and whom it waits for. */
function telling(db: Db, log: Log | undefined, migration: Migration, pid: number): () => void {
  log?.info({ migration: migration.name }, 'an index is being made beside those that write; this may take minutes');
  const tell = async (): Promise<void> => {
    const { rows } = await sql<{ pid: number; application: string; state: string }>`
      select pid, application_name as application, state from pg_stat_activity where pid = any(pg_blocking_pids(${pid}::int))`.execute(
      db,
    );
    log?.info({ migration: migration.name, waitsFor: rows }, 'the index is still being made');
  };
  const timer = setInterval(() => void tell().catch(() => undefined), TELL_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Waits for the turn of this node; says so at once and every ten seconds. */
async function untilMine(client: Client, migration: Migration, log: Log | undefined): Promise<void> {
  const take = 'select pg_try_advisory_lock($1) as mine';
  let toldAt = Number.NEGATIVE_INFINITY;
  while ((await client.query<{ mine: boolean }>(take, [ONLINE_LOCK])).rows[0]?.mine !== true) {
    if (monotonicNow() - toldAt >= TELL_EVERY_MS) {
      log?.info({ migration: migration.name }, 'another node is making an index; this one waits for it');
      toldAt = monotonicNow();
    }
    await pause(TURN_PAUSE_MS);
  }
}

/**
 * Applies an online migration on a connection of its own, each statement by itself, and may be cut off anywhere: the next
 * one begins anew. False when another node has done it meanwhile. Throws MigrationError.
 */
export async function applyOnline(
  db: Db,
  migration: Migration,
  { connect, log }: { connect: () => Promise<Client>; log?: Log | undefined },
): Promise<boolean> {
  const client = await connect();
  // Its failure is told by the statement that it breaks.
  client.on('error', () => undefined);
  let stopTelling = (): void => undefined;
  try {
    const pid = await backendOf(client);
    for (const statement of unbounded('connection')) await client.query(statement);
    await untilMine(client, migration, log);
    if (!(await isSeen(db, pid))) throw elsewhere();
    const { rows } = await client.query('select from schema_migrations where name = $1', [migration.name]);
    if (rows.length > 0) return false;
    stopTelling = telling(db, log, migration, pid);
    for (const statement of splitStatements(migration.sql)) await run(client, migration, statement);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2) on conflict do nothing', [
      migration.name,
      migration.checksum,
    ]);
    return true;
  } finally {
    stopTelling();
    // With it goes the lock.
    await client.end();
  }
}
