import { type RawBuilder, sql } from 'kysely';
import { isCancelled } from './errors.ts';
import { type Settings, withSettings } from './statement-settings.ts';
import { inTransaction } from './transaction.ts';
import type { Db } from './types.ts';

/**
 * What `read` gives, or null when one of its statements took longer than `ms`: PostgreSQL ends it then, and frees what
 * it used. The embedded database has no such bound. `read` gets a transaction and must use it for all that it reads; it
 * writes nothing.
 */
export function readWithin<T>(db: Db, ms: number, read: (db: Db) => Promise<T>): Promise<T | null> {
  return unlessCancelled(readWith(db, { statement_timeout: ms }, read));
}

/** What `read` gives of a transaction with these settings. */
function readWith<T>(db: Db, settings: Settings, read: (db: Db) => Promise<T>): Promise<T> {
  const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${String(value)}::text, true)`);
  const bounded = async (trx: Db): Promise<T> => {
    await sql`select ${sql.join(set)}`.execute(trx);
    return read(trx);
  };
  return db.isTransaction ? apart(db, bounded) : inTransaction(db, bounded);
}

export interface RowsOptions {
  /** PostgreSQL ends it after so long; null: never. Milliseconds. */
  within?: number | null;
  /**
   * No table is read as a whole where an index answers. The planner counts the pages of a table and not what is stored apart from them: of a few
   * thousand rows with long values it read each one, which took four to fifty times as long as their index (measured).
   */
  byIndex?: boolean;
}

/** The rows of one statement, or null where it took too long: with less to and fro, since the settings go with the statement. */
export async function rowsWith<T>(
  db: Db,
  { within = null, byIndex = false }: RowsOptions,
  statement: RawBuilder<T>,
): Promise<T[] | null> {
  const settings = {
    ...(within === null ? {} : { statement_timeout: Math.ceil(within) }),
    ...(byIndex ? { enable_seqscan: 'off' } : {}),
  };
  const read = async (on: Db, asked: RawBuilder<T>): Promise<T[]> => (await asked.execute(on)).rows;
  if (Object.keys(settings).length === 0) return read(db, statement);
  const reading = db.isTransaction
    ? readWith(db, settings, (trx) => read(trx, statement))
    : read(db, withSettings(settings, statement));
  return within === null ? reading : unlessCancelled(reading);
}

async function unlessCancelled<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (isCancelled(error)) return null;
    throw error;
  }
}

/** Within a transaction that goes on afterwards as before, whether or not `read` failed. */
async function apart<T>(trx: Db, read: (trx: Db) => Promise<T>): Promise<T> {
  await sql`savepoint apart`.execute(trx);
  // Also what was set is undone.
  const back = () => sql`rollback to savepoint apart`.execute(trx);
  const given = await read(trx).catch(async (error: unknown) => {
    // Where the connection has ended this fails too, and says less.
    await back().catch(() => undefined);
    throw error;
  });
  await back();
  return given;
}
