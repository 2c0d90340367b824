import { sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import type { Db } from './types.ts';

/** The time by the database, by which old things are removed: that of a node may be wrong by years. Milliseconds since the epoch. */
export async function databaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return (rows[0] as { now: Date }).now.getTime();
}

/**
 * The earlier of the node's time and the database's: what is past its time by it is so by both. Which clock is wrong, nobody can tell, and
 * what is ended or removed does not come back. Milliseconds since the epoch.
 */
export const leastTime = async (db: Db, clock: Pick<Clock, 'now'>): Promise<number> =>
  Math.min(clock.now(), await databaseTime(db));

/**
 * The later of the two. What begins by it and lasts for a while does not end early by either, whoever looks at its end. Milliseconds since
 * the epoch.
 */
export const latestTime = async (db: Db, clock: Pick<Clock, 'now'>): Promise<number> =>
  Math.max(clock.now(), await databaseTime(db));
