import { type RawBuilder, sql } from 'kysely';
import type { InternalEvent } from '../../contracts/events/index.ts';
import { subjectOf, tradeSessionIdOf } from '../../contracts/events/index.ts';
import { changeStamp, type Db, texts, times, tokens, type Trx } from '../../platform/db/index.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

type EventTables = {
  events: {
    position: number;
    id: string;
    event: InternalEvent;
    account_ids: string[];
    trade_session_id: string | null;
    occurred_at: Date;
    recorded_at: Date;
    request_id: string;
    caused_by: string | null;
  };
};

/**
 * Appends events in their order and returns their positions, in one statement. `recordedAt` is the same for all.
 */
export async function insertEvents(
  db: Db | Trx,
  events: readonly NewEvent[],
  recordedAt: Date,
): Promise<LoggedEvent[]> {
  const { rows } = await sql<{ position: number; stamp: number }>`/*named:insert-events*/
    insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by)
    select nextval('event_positions'), e.id, e.event, e.data::json, e.account_ids::uuid[], e.subject_id, e.trade_session_id,
           e.occurred_at, ${recordedAt}::timestamptz, e.request_id, e.caused_by
    from unnest(
      ${tokens(events.map((e) => e.id))}::text::uuid[], ${tokens(events.map((e) => e.event))}::text::text[],
      ${texts(events.map((e) => JSON.stringify(e.data)))}::text::text[],
      ${texts(events.map((e) => tokens(e.accountIds)))}::text::text[],
      ${texts(events.map((e) => subjectOf(e.event, e.data)))}::text::text[],
      ${texts(events.map((e) => tradeSessionIdOf(e.event, e.data)))}::text::text[],
      ${times(events.map((e) => e.occurredAt.getTime()))}::text::timestamptz[],
      ${tokens(events.map((e) => e.requestId))}::text::text[], ${tokens(events.map((e) => e.causedBy))}::text::uuid[]
    ) as e (id, event, data, account_ids, subject_id, trade_session_id, occurred_at, request_id, caused_by)
    returning position, ${changeStamp} as stamp`.execute(db);
  return events.map((e, i) => ({ ...e, ...(rows[i] as { position: number; stamp: number }), recordedAt }));
}

interface EventRow {
  position: number;
  id: string;
  event: InternalEvent;
  data: string;
  account_ids: string;
  occurred_at: Date;
  recorded_at: Date;
  request_id: string;
  caused_by: string | null;
}

const COLUMNS = sql`position, id, event, data::text as data, account_ids::text as account_ids, occurred_at, recorded_at, request_id, caused_by`;

const toEvent = (row: EventRow): LoggedEvent => ({
  position: row.position,
  id: row.id,
  event: row.event,
  data: JSON.parse(row.data) as Record<string, unknown>,
  accountIds: row.account_ids === '{}' ? [] : row.account_ids.slice(1, -1).split(','),
  occurredAt: row.occurred_at,
  recordedAt: row.recorded_at,
  requestId: row.request_id,
  causedBy: row.caused_by,
});

/** Visible events above a position, ascending. May have gaps that a late commit fills: see `settle`. */
export async function selectAfter(db: Db | Trx, after: number, limit: number): Promise<LoggedEvent[]> {
  const { rows } =
    await sql<EventRow>`select ${COLUMNS} from events where position > ${after} order by position limit ${limit}`.execute(
      db,
    );
  return rows.map(toEvent);
}

export async function selectByPositions(db: Db | Trx, positions: readonly number[]): Promise<LoggedEvent[]> {
  const { rows } =
    await sql<EventRow>`select ${COLUMNS} from events where position = any(${positions}::bigint[])`.execute(db);
  return rows.map(toEvent);
}

export async function selectById(db: Db | Trx, id: string): Promise<LoggedEvent | null> {
  const { rows } = await sql<EventRow>`select ${COLUMNS} from events where id = ${id}`.execute(db);
  return rows[0] ? toEvent(rows[0]) : null;
}

export interface EventFilter {
  event?: string;
  tradeSessionId?: string;
  /** Events whose audience names one of these; 'all' for operators. */
  accounts: 'all' | readonly string[];
  before: number | null;
  limit: number;
}

type AudienceFilter = Omit<EventFilter, 'accounts'> & { accounts: readonly string[] };

/** Of an account that takes part in more than one in a hundred events, a page is among so many of the newest. */
const NEWEST = 5000;

/**
 * Positions of the newest events of these accounts: among the newest of the log (`way: 'walk'`), or of all that the index
 * of audiences has of them. No single plan is good for both an account of half of all events and one of ten.
 */
export const audiencePositions = (
  { event, before, limit, accounts }: AudienceFilter,
  way: 'walk' | 'gather',
): RawBuilder<{ position: number }> => {
  const older = before === null ? sql`true` : sql`position < ${before}`;
  const log =
    way === 'walk'
      ? sql`select position, event, account_ids from events where ${older} order by position desc limit ${NEWEST}`
      : sql`select position, event, account_ids from events where account_ids && ${[...accounts]}::uuid[] and ${older}`;
  return sql<{ position: number }>`with log as materialized (${log})
    select position from log where account_ids && ${[...accounts]}::uuid[]
      and ${event === undefined ? sql`true` : sql`event = ${event}`}
    order by position desc limit ${limit}`;
};

async function selectPageOf(db: Db, filter: AudienceFilter): Promise<LoggedEvent[]> {
  const near = await audiencePositions(filter, 'walk').execute(db);
  const { rows } = near.rows.length === filter.limit ? near : await audiencePositions(filter, 'gather').execute(db);
  const events =
    rows.length === 0
      ? []
      : await selectByPositions(
          db,
          rows.map((row) => row.position),
        );
  return events.toSorted((a, b) => b.position - a.position);
}

/** Newest first. */
export async function selectPage(db: Db, filter: EventFilter): Promise<LoggedEvent[]> {
  const { accounts } = filter;
  if (accounts !== 'all' && filter.tradeSessionId === undefined) return selectPageOf(db, { ...filter, accounts });
  let query = db
    .withTables<EventTables>()
    .selectFrom('events')
    .select([
      'position',
      'id',
      'event',
      sql<string>`data::text`.as('data'),
      sql<string>`account_ids::text`.as('account_ids'),
      'occurred_at',
      'recorded_at',
      'request_id',
      'caused_by',
    ])
    .orderBy('position', 'desc')
    .limit(filter.limit);
  if (filter.event !== undefined) query = query.where('event', '=', filter.event as InternalEvent);
  if (filter.tradeSessionId !== undefined) query = query.where('trade_session_id', '=', filter.tradeSessionId);
  if (filter.before !== null) query = query.where('position', '<', filter.before);
  if (accounts !== 'all') query = query.where(sql<boolean>`account_ids && ${[...accounts]}::uuid[]`);
  const rows = await query.execute();
  return rows.map(toEvent);
}

/** The highest position handed out so far: events published from now on are above it. */
export async function lastPosition(db: Db | Trx): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select case when is_called then last_value else 0 end as last from event_positions`.execute(db);
  return rows[0]?.last ?? 0;
}

/**
 * The transactions that are writing to the log now. An insert locks the table before it draws its first position, and
 * keeps the lock until its rows can be seen (or never will be): see `settle`.
 */
export async function writersNow(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct virtualtransaction as id from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and granted and relation = 'events'::regclass
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return new Set(rows.map((r) => r.id));
}

/** Positions of a trade's events. */
export async function positionsOfTrade(db: Db | Trx, tradeSessionId: string): Promise<number[]> {
  const { rows } = await sql<{
    position: number;
  }>`select position from events where trade_session_id = ${tradeSessionId}`.execute(db);
  return rows.map((r) => r.position);
}
