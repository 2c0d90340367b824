import { sql } from 'kysely';
import { isCancelled } from './errors.ts';
import { inTransaction } from './transaction.ts';
import type { Db } from './types.ts';

/**
 * What `read` gives, or null when one of its statements took longer than `ms`: PostgreSQL ends it then, and frees what
 * it used. The embedded database has no such bound. `read` gets a transaction and must use it for all that it reads.
 */
export async function readWithin<T>(db: Db, ms: number, read: (db: Db) => Promise<T>): Promise<T | null> {
  try {
    return await inTransaction(db, async (trx) => {
      await sql`select set_config('statement_timeout', ${String(ms)}::text, true)`.execute(trx);
      return read(trx);
    });
  } catch (error) {
    if (isCancelled(error)) return null;
    throw error;
  }
}
