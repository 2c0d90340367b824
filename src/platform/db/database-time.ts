import { sql } from 'kysely';
import type { Db } from './types.ts';

/** The time by the database, by which old things are removed: that of a node may be wrong by years. Milliseconds since the epoch. */
export async function databaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return (rows[0] as { now: Date }).now.getTime();
}
