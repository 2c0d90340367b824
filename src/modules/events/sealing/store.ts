import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';

export interface Seal {
  /** From 1, without gaps. */
  number: number;
  /** Directly behind the last position of the seal before. */
  firstPosition: number;
  lastPosition: number;
  events: number;
  /** SHA-256 in hex, over the hash before and every event of the seal: see computeSeal. */
  hash: string;
}

const SEAL = sql`number, first_position as "firstPosition", last_position as "lastPosition", events, hash`;

/** The last seal, null if there is none, and how far the cursor of the sealing reader says that the log is sealed, as of one moment. */
export async function lastSeal(db: Db, reader: string): Promise<{ seal: Seal | null; sealedUpTo: number }> {
  const { rows } = await sql<Seal & { sealedUpTo: number }>`
    select r.position as "sealedUpTo", s.* from event_readers r left join lateral (
      select ${SEAL} from event_seals order by number desc limit 1
    ) s on true where r.name = ${reader}`.execute(db);
  const [row] = rows;
  if (!row) return { seal: null, sealedUpTo: 0 };
  const { sealedUpTo, ...seal } = row;
  return { seal: seal.number === null ? null : seal, sealedUpTo };
}

/** The next seals behind a number, in their order. */
export async function selectSeals(db: Db, after: number, limit: number): Promise<Seal[]> {
  const { rows } = await sql<Seal>`
    select ${SEAL} from event_seals where number > ${after} order by number limit ${limit}`.execute(db);
  return rows;
}

export async function insertSeal(trx: Trx, seal: Seal, now: Date): Promise<void> {
  const { number, firstPosition, lastPosition, events, hash } = seal;
  await sql`insert into event_seals (number, first_position, last_position, events, hash, sealed_at)
    values (${number}, ${firstPosition}, ${lastPosition}, ${events}, ${hash}, ${now})`.execute(trx);
}

/** Every column of an event as text that depends on no setting of the session; times in microseconds since the epoch. */
export type StoredRow = [position: number, ...columns: (string | null)[]];

/** Events above a position and up to another as they are stored, in their order. */
export async function selectStored(
  db: Db,
  { above, upTo, limit }: { above: number; upTo: number; limit: number },
): Promise<StoredRow[]> {
  const { rows } = await sql<Record<string, string | null> & { position: number }>`
    select position, id::text as id, event, data::text as data, account_ids::text as accounts, subject_id, trade_session_id,
      (extract(epoch from occurred_at) * 1000000)::bigint::text as occurred,
      (extract(epoch from recorded_at) * 1000000)::bigint::text as recorded, request_id, caused_by::text as cause
    from events where position > ${above} and position <= ${upTo} order by position limit ${limit}`.execute(db);
  return rows.map((r) => [
    r.position,
    ...['id', 'event', 'data', 'accounts', 'subject_id', 'trade_session_id', 'occurred', 'recorded'].map(
      (column) => r[column] ?? null,
    ),
    r.request_id ?? null,
    r.cause ?? null,
  ]);
}

/**
 * The position of the last of the next events behind a position; null: there is none up to the end. The end is no condition
 * of the walk: a planner that takes a range to be small sorts all of it, and a reader that was behind fell further behind.
 */
export async function endOfBatch(
  db: Db,
  { above, upTo, limit }: { above: number; upTo: number; limit: number },
): Promise<number | null> {
  const { rows } = await sql<{ position: number | null }>`
    select max(position) as position from (
      select position from events where position > ${above} order by position limit ${limit}
    ) as batch where position <= ${upTo}`.execute(db);
  return rows[0]?.position ?? null;
}

/** Where the cursor of a reader is; 0: it never ran. */
export async function readerPosition(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{
    position: number;
  }>`select position from event_readers where name = ${name}`.execute(db);
  return rows[0]?.position ?? 0;
}

/** How many events lie behind a position. */
export async function countBehind(db: Db, position: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::integer as count from events where position > ${position}`.execute(db);
  return rows[0]?.count ?? 0;
}
