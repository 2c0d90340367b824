import { sql } from 'kysely';
import type { Db } from '../types.ts';
import { bytesBetween, type Identity, isOther, type Position } from './position.ts';

/**
 * `ready`: whatever is read next on this connection shows all up to the position. Else why not; `ahead`: it has replayed what
 * this primary has never written, as after the primary was restored from a snapshot, on the same timeline.
 */
export type Verdict = 'ready' | 'late' | 'promoted' | 'foreign' | 'ahead';

export interface Checked {
  verdict: Verdict;
  /** How much of the log it has not replayed; null: it is none, or of another log, or has replayed nothing. Bytes. */
  behind: number | null;
  /**
   * How long ago the last commit that it has replayed was made, by the clocks of both servers; 0 when nothing is missing, null
   * where it cannot tell. Milliseconds.
   */
  lagMs: number | null;
}

interface Told extends Identity {
  isReplica: boolean;
  hasLineage: boolean;
  /** Negative: it has replayed so much more. */
  behind: number | null;
  lagMs: number | null;
}

/** A table is not there yet. */
const UNDEFINED_TABLE = '42P01';

/**
 * Asks the server of a connection how far it is. It only ever gets further, as long as it is a replica. Of one that has not seen the first
 * migration no more can be asked on this connection: then `behind` is null. Where it has replayed beyond the position, `askAgain` asks the
 * primary once more: what a replica of it has replayed by now has been flushed there before.
 */
export async function checkAgainst(
  db: Db,
  { identity, position, askAgain }: { identity: Identity; position: Position; askAgain: () => Promise<Position> },
): Promise<Checked> {
  const told = await ask(db, position).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
    return null;
  });
  if (told === null) return { verdict: 'late', behind: null, lagMs: null };
  const verdict = verdictOf(told, identity);
  const beyond = -(told.behind ?? 0);
  const mayBeAhead = beyond > 0 && (verdict === 'ready' || verdict === 'late');
  if (mayBeAhead && bytesBetween(position, await askAgain()) < beyond) {
    return { verdict: 'ahead', behind: null, lagMs: null };
  }
  const behind = told.behind === null ? null : Math.max(0, told.behind);
  const lagMs = behind === 0 ? 0 : told.lagMs === null ? null : Math.max(0, told.lagMs);
  return { verdict, behind, lagMs };
}

async function ask(db: Db, { lsn, lineage }: Position): Promise<Told> {
  const { rows } = await sql<Told>`/*named:replica-position*/
    select pg_is_in_recovery() as "isReplica", current_database() as database,
      (select system_identifier::text from pg_control_system()) as system,
      exists (select from change_versions where topic = ${lineage}) as "hasLineage",
      (${lsn}::pg_lsn - pg_last_wal_replay_lsn())::float8 as behind,
      (extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8 as "lagMs"`.execute(db);
  return rows[0] as Told;
}

function verdictOf(told: Told, identity: Identity): Verdict {
  if (isOther(told, identity)) return 'foreign';
  if (!told.isReplica) return 'promoted';
  return told.behind !== null && told.behind <= 0 && told.hasLineage ? 'ready' : 'late';
}
