import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import type { Client } from 'pg';
import { monotonicNow } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { isLockTimeout, isNotAllowed, isReadOnly, isRetryable } from './errors.ts';
import { isOnline, type Migration, splitStatements } from './migration-files.ts';
import { applyOnline, indexOf, INVALID, ONLINE_LOCK, TELL_EVERY_MS, TURN_PAUSE_MS } from './migrate-online.ts';
import { MigrationError } from './migration-error.ts';
import type { Db, Trx } from './types.ts';
import { unbounded } from './unbounded.ts';

/** Any constant does, as long as every version of the code uses the same. */
const LOCK = 4_772_019_116;
/** For each lock: whoever comes after a statement that waits for one waits as well. Milliseconds. */
const LOCK_TIMEOUT_MS = 1000;
/** Between two tries, in which everybody gets through; and for how long it is tried. Milliseconds. */
const LOCK_PAUSE_MS = 1000;
const IN_USE_MS = 120_000;

/** A statement that begins so may take as long as it needs: open.ts gives it no timeout. */
export const UNHURRIED = '/*unhurried*/';

async function applied(trx: Trx): Promise<Map<string, string>> {
  await sql`create table if not exists schema_migrations
    (name text primary key, checksum text not null, applied_at timestamptz not null default now())`.execute(trx);
  const rows = await trx.selectFrom('schema_migrations').select(['name', 'checksum']).orderBy('name').execute();
  return new Map(rows.map((r) => [r.name, r.checksum]));
}

/** Throws MigrationError on a database newer than the code, and on an applied file that has been edited since. */
function check(done: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((m) => [m.name, m]));
  for (const [name, checksum] of done) {
    const mine = known.get(name);
    if (!mine) {
      throw new MigrationError(
        `the database is newer than this version of Posthorn: it has the migration ${name}, which this version does not know. Start a version at least as new as the one that wrote it.`,
      );
    }
    if (mine.checksum !== checksum) {
      throw new MigrationError(`the migration ${name} was edited after it was applied; add a new one instead.`);
    }
  }
}

const record = (db: Db | Trx, { name, checksum }: Migration): Promise<unknown> =>
  db.insertInto('schema_migrations').values({ name, checksum, applied_at: sql<Date>`now()` }).execute();

/** What a transaction came to: `busy`, another node has the lock. */
type Step =
  | { kind: 'busy' | 'done' }
  | { kind: 'applied'; names: string[] }
  /** It cannot run in a transaction. */
  | { kind: 'online'; migration: Migration };

/** Another transaction was in the way, and nothing of this one is left: it is tried again. */
const isInUse = (error: unknown): boolean => isLockTimeout(error) || isRetryable(error);

/** What the server says is of a statement that nobody wrote who starts a service: what it means for them, where they can mend it. */
function inWords(error: unknown): unknown {
  const cause = error instanceof MigrationError ? error.cause : error;
  const { message } = error as Error;
  if (isReadOnly(cause)) {
    const told = 'the database takes no writes: it is a standby, or read-only for the role of DATABASE_URL';
    return new MigrationError(`${told} (${message})`, { cause });
  }
  if (!isNotAllowed(cause)) return error;
  const told = 'the role of DATABASE_URL may not make or change the tables: let it own the database and all of them';
  return new MigrationError(`${told} (${message}); "posthorn doctor" has more`, { cause });
}

async function applyFile(trx: Trx, migration: Migration): Promise<void> {
  try {
    for (const statement of splitStatements(migration.sql)) {
      if (!isOnline(migration)) {
        await trx.executeQuery(CompiledQuery.raw(`${UNHURRIED} ${statement}`));
        continue;
      }
      const { name } = indexOf(statement);
      const { rows } = await trx.executeQuery(CompiledQuery.raw(INVALID, [name]));
      if (rows.length > 0) await trx.executeQuery(CompiledQuery.raw(`drop index ${name}`));
      await trx.executeQuery(CompiledQuery.raw(`${UNHURRIED} ${statement.replace(/\bconcurrently\b/i, '')}`));
    }
  } catch (error) {
    if (isInUse(error)) throw error;
    throw new MigrationError(`the migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
  await record(trx, migration);
}

/** Asked for again and again: a statement that waits has a snapshot, which the making of an index waits for. */
async function isFree(trx: Trx, lock: number): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(lock)}) as mine`.execute(
    trx,
  );
  return rows[0]?.mine === true;
}

interface ApplyOptions {
  migrations: readonly Migration[];
  hasDirect: boolean;
  /** Another node had the lock a moment ago, and may have tried in vain. */
  isAfterOther: boolean;
  /** Hears of the file that is tried. */
  tries: (name: string) => void;
}

/** The next file that is not online, on a new database all of them. */
async function applyNext(trx: Trx, { migrations, hasDirect, isAfterOther, tries }: ApplyOptions): Promise<Step> {
  // A change of a big table takes minutes; waiting for others who use it may not, since everybody waits behind it.
  for (const statement of unbounded('transaction')) await trx.executeQuery(CompiledQuery.raw(statement));
  await sql`set local lock_timeout = ${sql.lit(`${LOCK_TIMEOUT_MS}ms`)}`.execute(trx);
  if (!(await isFree(trx, LOCK))) return { kind: 'busy' };
  const done = await applied(trx);
  check(done, migrations);
  const pending = migrations.filter(({ name }) => !done.has(name));
  const [next] = pending;
  if (!next) return { kind: 'done' };
  const isNew = done.size === 0;
  if (!isNew && isOnline(next)) {
    if (hasDirect) return { kind: 'online', migration: next };
    // One that has a connection past the pooler may be at it, or has come to its end since.
    if (!(await isFree(trx, ONLINE_LOCK)) || (await applied(trx)).has(next.name)) return { kind: 'busy' };
  }
  tries(next.name);
  // Who uses the tables gets through between two tries, whoever makes them.
  if (isAfterOther) await pause(LOCK_PAUSE_MS);
  const now = isNew ? pending : [next];
  for (const migration of now) await applyFile(trx, migration);
  return { kind: 'applied', names: now.map(({ name }) => name) };
}

export interface MigrateOptions {
  /** A connection outside the pool, for files that are online; without it they run like the others, and hold writers up. */
  connect?: (() => Promise<Client>) | undefined;
  log?: Log | undefined;
}

/**
 * Brings the database to this version's schema: forward only, under a lock so that nodes that start together do it once, and
 * so that nodes that run are not held up (docs/adr/0037). Each file is a transaction of its own; on a new database all are one. Throws MigrationError
 * on a database newer than the code, on an applied file that has been edited since, when one fails, when a table of it was in use
 * for two minutes, and when the role may not write or change tables; it says what was applied before. No statement has a time limit. Returns the names applied now.
 */
export async function migrate(
  db: Db,
  migrations: readonly Migration[],
  { connect, log }: MigrateOptions = {},
): Promise<string[]> {
  const now: string[] = [];
  let isAfterOther = false;
  let tried = '';
  let inUseSince: number | null = null;
  let waitsSince: number | null = null;
  const begins = (name: string): void => {
    if (name !== tried) inUseSince = null;
    tried = name;
  };
  const options = () => ({ migrations, hasDirect: connect !== undefined, isAfterOther, tries: begins });
  const waitForOther = async (): Promise<void> => {
    const asked = monotonicNow();
    waitsSince ??= asked;
    if (asked - waitsSince > TELL_EVERY_MS) {
      log?.info('another node migrates the database; this one waits for it');
      waitsSince = asked;
    }
    await pause(TURN_PAUSE_MS);
  };
  try {
    for (;;) {
      try {
        const step: Step = await db.transaction().execute((trx) => applyNext(trx, options()));
        if (step.kind === 'done') return now;
        isAfterOther = step.kind === 'busy';
        if (step.kind === 'busy') await waitForOther();
        else waitsSince = null;
        if (step.kind === 'applied') now.push(...step.names);
        if (step.kind === 'online' && connect) {
          begins(step.migration.name);
          if (await applyOnline(db, step.migration, { connect, log })) now.push(step.migration.name);
        }
      } catch (error) {
        if (!isInUse(error)) throw error;
        isAfterOther = false;
        inUseSince ??= monotonicNow();
        if (monotonicNow() - inUseSince > IN_USE_MS) {
          const message =
            'a table that a migration changes was in use for two minutes, perhaps by a long query or a dump';
          throw new MigrationError(message, { cause: error });
        }
        log?.warn({ migration: tried }, 'a table that a migration changes is in use; it is tried again');
        await pause(LOCK_PAUSE_MS);
      }
    }
  } catch (failure) {
    const error = inWords(failure);
    if (now.length === 0) throw error;
    const told =
      error instanceof MigrationError ? error : new MigrationError((error as Error).message, { cause: error });
    throw told.after(now);
  }
}

/** How far a database is, by the names of migrations. */
export interface MigrationState {
  applied: number;
  /** Not applied yet. */
  pending: string[];
  /** Applied by a newer version of the code. */
  unknown: string[];
  /** Edited since they were applied. */
  edited: string[];
}

/** Compares a database with the migrations of this version; changes nothing, also on a database without any. */
export async function migrationState(db: Db, migrations: readonly Migration[]): Promise<MigrationState> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('schema_migrations') is not null as exists`.execute(db);
  const done = rows[0]?.exists ? await db.selectFrom('schema_migrations').select(['name', 'checksum']).execute() : [];
  const checksums = new Map(done.map(({ name, checksum }) => [name, checksum]));
  const known = new Set(migrations.map(({ name }) => name));
  return {
    applied: checksums.size,
    pending: migrations.filter(({ name }) => !checksums.has(name)).map(({ name }) => name),
    unknown: done.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    edited: migrations
      .filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
      .map(({ name }) => name),
  };
}
