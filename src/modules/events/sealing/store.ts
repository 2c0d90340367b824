import { type RawBuilder, sql } from 'kysely';
import { columns, type Db, type Trx } from '../../../platform/db/index.ts';

export interface Seal {
  /** From 1, without gaps. */
  number: number;
  /** How its events were hashed: see FORMS. */
  form: number;
  /** Directly behind the last position of the seal before. */
  firstPosition: number;
  lastPosition: number;
  events: number;
  /** SHA-256 in hex, over the hash before and every event of the seal: see computeSeal. */
  hash: string;
}

const SEAL = sql`number, form, first_position as "firstPosition", last_position as "lastPosition", events, hash`;

/** Whether the database has the log and its seals. Asked with the right to use the schema alone: an auditor's role may read only the tables of the audit trail. */
export async function hasLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(to_regclass(name))::int as found from unnest('{events,event_seals,event_readers}'::text[]) as name`.execute(
    db,
  );
  return rows[0]?.found === 3;
}

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

export async function insertSeals(trx: Trx, seals: readonly Seal[], now: Date): Promise<void> {
  await sql`insert into event_seals (number, form, first_position, last_position, events, hash, sealed_at)
    select s.*, ${now}::timestamptz from (select ${columns(seals, {
      number: ['int8', (s) => s.number],
      form: ['int2', (s) => s.form],
      first_position: ['int8', (s) => s.firstPosition],
      last_position: ['int8', (s) => s.lastPosition],
      events: ['int4', (s) => s.events],
      hash: ['text', (s) => s.hash],
    })}) as s`.execute(trx);
}

/** An event as it is stored: every column as what depends on no setting of the session. */
export interface StoredRow {
  position: number;
  id: string;
  event: string;
  data: string;
  accounts: string;
  /** Of the dimensions of `accounts`, as `[1:2]`; null: it is empty. */
  bounds: string | null;
  subject: string | null;
  trade: string | null;
  /** Microseconds since 1970. */
  occurred: string;
  recorded: string;
  request: string;
  cause: string | null;
}

interface Range {
  above: number;
  upTo: number;
}

/** Events above a position and up to another as they are stored, in their order. */
export async function selectStored(db: Db, { above, upTo, limit }: Range & { limit: number }): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select position, id, event, data::text as data, account_ids::text as accounts, array_dims(account_ids) as bounds,
      subject_id as subject, trade_session_id as trade, (extract(epoch from occurred_at) * 1000000)::bigint::text as occurred,
      (extract(epoch from recorded_at) * 1000000)::bigint::text as recorded, request_id as request, caused_by as cause
    from events where position > ${above} and position <= ${upTo} order by position limit ${limit}`.execute(db);
  return rows;
}

/**
 * Number and hash of the events in a range in form 2, as `computeSeal` makes them of what `selectStored` reads: in the database, which
 * spares each event its way here (measured: a tenth of what publishing and delivering it costs). The columns are named, since the form has
 * these and no other. The order within the aggregate is the only one that PostgreSQL promises, and costs nothing that could be
 * measured. `head`: what is hashed before.
 */
export async function hashStored(
  db: Db,
  head: string,
  { above, upTo }: Range,
): Promise<{ events: number; hash: string }> {
  const { rows } = await sql<{ events: number; hash: string }>`
    select count(*)::int as events, encode(sha256(convert_to(${head}::text, 'UTF8') || coalesce(string_agg(record_send(row(
      position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by
    )), '' order by position), '')), 'hex') as hash
    from events where position > ${above} and position <= ${upTo}`.execute(db);
  return rows[0] as { events: number; hash: string };
}

/**
 * The position of the last of the next events behind a position; null: there is none up to the end. The end is no condition
 * of the walk: a planner that takes a range to be small sorts all of it, and a reader that was behind fell further behind.
 */
export const batchEnd = ({ above, upTo, limit }: Range & { limit: number }): RawBuilder<{ position: number | null }> =>
  sql<{ position: number | null }>`
    select max(position) as position from (
      select position from events where position > ${above} order by position limit ${limit}
    ) as batch where position <= ${upTo}`;

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
