import { sql } from 'kysely';
import { shareRuns } from '../../../lib/share-runs.ts';
import type { Db } from '../types.ts';
import { NotRead } from './reason.ts';
import { Waiting } from './waiting.ts';

/** The primary's answer where its log ends takes no longer. Milliseconds. */
const ANSWER_MS = 1000;

/** A place in the log of the primary. */
export interface Position {
  lsn: string;
  /** The row that a replica has which follows this primary, and no other. */
  lineage: string;
}

/** What a database is a copy of. */
export interface Identity {
  system: string;
  database: string;
}

export const isOther = (one: Identity, other: Identity): boolean =>
  one.system !== other.system || one.database !== other.database;

/** Of the log, up to a place in it (`16/B374D848`). Bytes. */
function bytesUpTo(lsn: string): number {
  const [high = '', low = ''] = lsn.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

/** How much of the log is between two places; negative: the other way round. Bytes. */
export const bytesBetween = (from: Position, to: Position): number => bytesUpTo(to.lsn) - bytesUpTo(from.lsn);

/** Throws where the role may not ask. */
export async function readIdentity(db: Db): Promise<Identity & { isReplica: boolean }> {
  const { rows } = await sql<Identity & { isReplica: boolean }>`
    select (select system_identifier::text from pg_control_system()) as system, current_database() as database,
      pg_is_in_recovery() as "isReplica"`.execute(db);
  return rows[0] as Identity & { isReplica: boolean };
}

/**
 * Where the log ends up to which commits are seen: they are flushed before, unless `synchronous_commit` is off; then it is
 * the end of what was inserted. At the beginning of a page (8 kB) that is behind its header of 24 or 40 bytes, of which a replica knows nothing yet.
 */
export async function readPosition(db: Db): Promise<Position> {
  const { rows } = await sql<Position>`/*named:log-position*/
    select (case when current_setting('synchronous_commit') = 'off'
        then i.at - (case when i.past <= 40 then i.past else 0 end) else pg_current_wal_flush_lsn() end)::text as lsn,
      'timeline ' || (select system_identifier from pg_control_system()) || ' ' ||
        left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) as lineage
    from (select at, (at - '0/0'::pg_lsn) % 8192 as past from (select pg_current_wal_insert_lsn() as at) w) i`.execute(
    db,
  );
  return rows[0] as Position;
}

/** Its topic is new with each timeline, so versions only ever grow, and caches notice nothing. */
async function leaveMark(db: Db, lineage: string): Promise<void> {
  await sql`insert into change_versions (topic, version) values (${lineage}, 1) on conflict (topic) do nothing`.execute(
    db,
  );
}

/**
 * Where the log of the primary ends at the time of the asking; everything that was committed before is before that. One
 * question at a time, shared by all who ask before it has begun; one that has no answer within a second (its connection may be dead) does
 * not hold up the next. Throws what the database throws, and NotRead.
 */
export function positionOf(db: Db): () => Promise<Position> {
  let marked: string | undefined;
  let latest: Position;
  const waiting = new Waiting();
  const ask = async (): Promise<Position> => {
    let position = await readPosition(db);
    while (position.lineage !== marked) {
      await leaveMark(db, position.lineage);
      marked = position.lineage;
      // Behind the mark: a replica that has come so far has it.
      position = await readPosition(db);
    }
    return position;
  };
  const run = shareRuns(
    async () => {
      // One that comes later than that is older than the next, and is not taken.
      latest = await waiting.for(ask(), ANSWER_MS, new NotRead('primary'));
    },
    () => new Promise(setImmediate),
  );
  return async () => {
    await run();
    return latest;
  };
}
