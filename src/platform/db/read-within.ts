import { type RawBuilder, sql } from 'kysely';
import { isCancelled } from './errors.ts';
import { inTransaction } from './transaction.ts';
import type { Db } from './types.ts';

/**
 * What `read` gives, or null when one of its statements took longer than `ms`: PostgreSQL ends it then, and frees what
 * it used. The embedded database has no such bound. `read` gets a transaction and must use it for all that it reads; it
 * writes nothing.
 */
export async function readWithin<T>(db: Db, ms: number, read: (db: Db) => Promise<T>): Promise<T | null> {
  const bounded = async (trx: Db): Promise<T> => {
    await sql`select set_config('statement_timeout', ${String(ms)}::text, true)`.execute(trx);
    return read(trx);
  };
  return unlessCancelled(db.isTransaction ? apart(db, bounded) : inTransaction(db, bounded));
}

/** The rows of one statement, or null as above: with less to and fro, since the bound goes with the statement. */
export async function rowsWithin<T>(db: Db, ms: number, statement: RawBuilder<T>): Promise<T[] | null> {
  const read = async (on: Db, asked: RawBuilder<T>): Promise<T[]> => (await asked.execute(on)).rows;
  if (db.isTransaction) return readWithin(db, ms, (trx) => read(trx, statement));
  return unlessCancelled(read(db, sql`${sql.raw(`/*within:${Math.ceil(ms)}*/`)} ${statement}`));
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
