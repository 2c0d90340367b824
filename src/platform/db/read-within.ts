import { sql } from 'kysely';
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
  try {
    return await (db.isTransaction ? apart(db, bounded) : inTransaction(db, bounded));
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
