import { type RawBuilder, sql } from 'kysely';
import type { InternalEvent } from '../../contracts/events/index.ts';
import { subjectOf, tradeSessionIdOf } from '../../contracts/events/index.ts';
import { asWeWrite, spellingsOf } from '../../lib/ids.ts';
import { changeStamp, columns, type Db, texts, tokens, type Trx } from '../../platform/db/index.ts';
import { newestOfAudience } from './audience-store.ts';
import { SLOTS } from './parts.ts';
import { slotSql } from './parts-store.ts';
import { isNarrow, type LogFilter, matching, type Range } from './filter-store.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

/**
 * Appends events in their order and returns their positions, in one statement. `recordedAt` is the same for all. The positions come back as one
 * text: a row for each would be made, sent and read for one number.
 */
export async function insertEvents(
  db: Db | Trx,
  events: readonly NewEvent[],
  recordedAt: Date,
): Promise<LoggedEvent[]> {
  const { rows } = await sql<{ positions: string; stamp: number }>`/*named:insert-events*/
    with written as (
      insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by)
      select nextval('event_positions'), e.id, e.event, e.data, e.account_ids::uuid[], e.subject_id, e.trade_session_id,
             e.occurred_at, ${recordedAt}::timestamptz, e.request_id, e.caused_by
      from (select ${columns(events, {
        id: ['uuid', (e) => e.id],
        event: ['text', (e) => e.event],
        data: ['json', (e) => JSON.stringify(e.data)],
        account_ids: ['text', (e) => tokens(e.accountIds)],
        subject_id: ['text', (e) => subjectOf(e.event, e.data)],
        trade_session_id: ['text', (e) => tradeSessionIdOf(e.event, e.data)],
        occurred_at: ['timestamptz', (e) => e.occurredAt.getTime()],
        request_id: ['text', (e) => e.requestId],
        caused_by: ['uuid', (e) => e.causedBy],
      })}) as e
      returning position
    )
    select string_agg(position::text, ',') as positions, ${changeStamp} as stamp from written`.execute(db);
  const { positions, stamp } = rows[0] as { positions: string; stamp: number };
  const each = positions.split(',');
  return events.map((e, i) => ({ ...e, position: Number(each[i]), stamp, recordedAt }));
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
  stamp?: number;
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
  ...(row.stamp === undefined ? {} : { stamp: row.stamp }),
});

/** A part of the log as one statement sees it. */
export interface Seen {
  /** Of all events, ascending. */
  positions: number[];
  /** Those that are wanted, ascending, with the change stamp of that moment. */
  events: LoggedEvent[];
}

/**
 * The next rows of the log behind a position, in their order. The planner sees neither the position nor the limit: by a large limit that it sees
 * it sorts all that is behind the position, as long as nothing has analyzed the table; and by a position that it sees it never takes a plan that it
 * has kept for a better one. `columns`: of `events`.
 */
const following = (columns: RawBuilder<unknown>, after: number, limit: number): RawBuilder<unknown> =>
  sql`select ${columns} from events where position > (select ${after}::bigint) order by position limit (select ${limit}::int)`;

/** Of a log that is shorter the planner may find it cheaper to sort what is there, which it would go on doing with a kept plan. */
const PREPARED_FROM = 1024;

/**
 * Prepares a reading of the log by name (platform/db/pool.ts), anew when the log has become twice as long: to parse and plan it is most of what
 * it costs, and it is asked for ten times a second by each of many workers.
 */
const prepared = (name: string, after: number): RawBuilder<unknown> =>
  after < PREPARED_FROM ? sql`` : sql.raw(`/*named:${name}-${Math.floor(Math.log2(after))}*/`);

/** What `selectAfter` asks for. */
export const rowsAfter = (after: number, limit: number): RawBuilder<EventRow> =>
  sql<EventRow>`${prepared('log-after', after)}${following(sql`${COLUMNS}, ${changeStamp} as stamp`, after, limit)}`;

/** Visible events above a position, of which up to `limit` are seen. There may be gaps that a late commit fills: see `settle`. */
export async function selectAfter(db: Db | Trx, after: number, limit: number): Promise<Seen> {
  const { rows } = await rowsAfter(after, limit).execute(db);
  const events = rows.map(toEvent);
  return { positions: events.map((e) => e.position), events };
}

/** Whether one of the accounts is in a slot of which the mask has the bit. Nearly all audiences are of one or two, which are looked at where they are. */
function hasAccountIn(mask: bigint): RawBuilder<boolean> {
  const isIn = (account: RawBuilder<unknown>): RawBuilder<boolean> =>
    sql<boolean>`(${mask.toString()}::int8 >> ${slotSql(account)}) & 1 = 1`;
  const [first, second] = [sql`account_ids[1]`, sql`account_ids[2]`];
  return sql<boolean>`case cardinality(account_ids) when 0 then false when 1 then ${isIn(first)} when 2 then ${isIn(first)} or ${isIn(second)}
    else exists (select from unnest(account_ids) as a (id) where ${isIn(sql`a.id`)}) end`;
}

/** What `selectOfSlotsAfter` asks for; the row with `positions` is of all that were seen. */
export function rowsOfSlotsAfter(
  after: number,
  { slots, limit }: { slots: ReadonlySet<number>; limit: number },
): RawBuilder<EventRow & { positions: string | null }> {
  let mask = 0n;
  for (const slot of slots) mask |= 1n << BigInt(slot);
  return sql`${prepared('log-of-slots-after', after)}
    with seen as materialized (${following(sql`*`, after, limit)})
    select null as positions, ${COLUMNS}, ${changeStamp} as stamp from seen where ${hasAccountIn(BigInt.asIntN(SLOTS, mask))}
    union all
    select string_agg(position::text, ','), null, null, null, null, null, null, null, null, null, null from seen`;
}

/** As `selectAfter`; wanted are those with an account of these slots in their audience. The others only cost their position. */
export async function selectOfSlotsAfter(
  db: Db | Trx,
  after: number,
  wanted: { slots: ReadonlySet<number>; limit: number },
): Promise<Seen> {
  const { rows } = await rowsOfSlotsAfter(after, wanted).execute(db);
  const positions =
    rows
      .find((row) => row.positions !== null)
      ?.positions?.split(',')
      .map(Number) ?? [];
  const events = rows.filter((row) => row.id !== null).map(toEvent);
  return { positions: positions.toSorted((a, b) => a - b), events: events.toSorted((a, b) => a.position - b.position) };
}

export async function selectByPositions(db: Db | Trx, positions: readonly number[]): Promise<LoggedEvent[]> {
  const { rows } =
    await sql<EventRow>`select ${COLUMNS} from events where position = any(${positions}::bigint[])`.execute(db);
  return rows.map(toEvent);
}

/** Where these events are and what they are called, in their order. */
export async function selectHeads(
  db: Db,
  positions: readonly number[],
): Promise<Pick<LoggedEvent, 'position' | 'id' | 'event'>[]> {
  const { rows } = await sql<Pick<EventRow, 'position' | 'id' | 'event'>>`
    select position, id, event from events where position = any(${positions}::bigint[]) order by position`.execute(db);
  return rows;
}

export async function selectById(db: Db | Trx, id: string): Promise<LoggedEvent | null> {
  const { rows } = await sql<EventRow>`select ${COLUMNS} from events where id = ${id}`.execute(db);
  return rows[0] ? toEvent(rows[0]) : null;
}

async function pagePositions(db: Db, filter: LogFilter, { range, limit }: Page): Promise<{ position: number }[]> {
  const { accounts } = filter;
  if (accounts === 'all' || isNarrow(filter)) {
    return (await matching(filter, { range, order: 'desc', limit }).execute(db)).rows;
  }
  return newestOfAudience(db, { ...filter, accounts }, { range, limit });
}

interface Page {
  range: Range;
  limit: number;
}

/** Newest first. */
export async function selectPage(db: Db, filter: LogFilter, page: Page): Promise<LoggedEvent[]> {
  const rows = await pagePositions(db, filter, page);
  if (rows.length === 0) return [];
  const events = await selectByPositions(
    db,
    rows.map((row) => row.position),
  );
  return events.toSorted((a, b) => b.position - a.position);
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

/** Events of one trade whose deliveries are looked for: a publisher may give all that it sends one trade. */
export const MOST_REFS_OF_TRADE = 10_000;

/** Position and id of a trade's events, however its UUID was written: of its first or its latest ones, at most `MOST_REFS_OF_TRADE`. */
export async function refsOfTrade(
  db: Db | Trx,
  tradeSessionId: string,
  which: 'first' | 'latest',
): Promise<{ position: number; id: string }[]> {
  const inOrder = sql`order by position ${which === 'first' ? sql`asc` : sql`desc`} limit ${MOST_REFS_OF_TRADE}`;
  const spelt = spellingsOf(tradeSessionId).map(
    (id) => sql`select * from (select position, id from events where trade_session_id = ${id} ${inOrder}) as spelt`,
  );
  const { rows } = await sql<{ position: number; id: string }>`${sql.join(spelt, sql` union all `)} ${inOrder}`.execute(
    db,
  );
  return rows;
}

/** Events of one trade that are given at once, and that are looked at to find them: a publisher may give all that it sends one trade. */
const MOST_OF_TRADE = 100;
const MOST_PASSED = 2000;

/**
 * The events of these names of any of these trades, latest first; of each trade the latest hundred, among its last 2,000 events of any name. The planner does not see how many trades there
 * are: by many that it sees it reads all of the log. It sees the hundred, and so that sorting all events of a trade is dearer than reading the last ones in their
 * order. By no other process than its own (`pg_backend_pid` may not be asked in others), for the planner takes them for so many events that two workers
 * are worth starting, from a million events on: 6 ms in place of 0.4. `near`: a position near the end of the log, for how long a plan is kept.
 */
export const ofTrades = (
  tradeSessionIds: readonly string[],
  names: readonly InternalEvent[],
  near: number,
): RawBuilder<EventRow> =>
  sql<EventRow>`${prepared('of-trades', near)}
    select ${COLUMNS} from (select unnest(${texts(tradeSessionIds)}::text::text[]) as trade) as asked cross join lateral (
      select * from (
        select * from events where trade_session_id = asked.trade and pg_backend_pid() > 0
        order by position desc limit ${sql.lit(MOST_PASSED)}
      ) as last where event = any(${tokens(names)}::text::text[])
      order by position desc limit ${sql.lit(MOST_OF_TRADE)}
    ) as latest order by position desc`;

/** The trades that any of these events is about, in each way in which publishers write their UUIDs. */
const tradesOf = (events: readonly LoggedEvent[]): string[] => [
  ...new Set(events.flatMap(({ data: { tradeSessionId: id } }) => (typeof id === 'string' ? spellingsOf(id) : []))),
];

/** The last position of these events. */
const lastOf = (events: readonly LoggedEvent[]): number => Math.max(...events.map(({ position }) => position));

/**
 * The events of these names of the trades that any of the given events is about, however their UUIDs were written, latest first; of each
 * trade at most a hundred of each spelling.
 */
export async function selectOfTrades(
  db: Db | Trx,
  about: readonly LoggedEvent[],
  names: readonly InternalEvent[],
): Promise<LoggedEvent[]> {
  const trades = tradesOf(about);
  if (trades.length === 0) return [];
  return (await ofTrades(trades, names, lastOf(about)).execute(db)).rows.map(toEvent);
}

/** Which of a trade's events are wanted: the first of a name, or of each side where they have one, among so many that come first. */
export interface Firsts {
  name: InternalEvent;
  among: number;
}

/**
 * The first events of a trade for each of these trades, oldest first. A publisher may give all that it sends one trade: of that
 * no more are read than `among` says, none behind its first 2,000 of any name, and none behind `near`: one that is committed later may come before it.
 */
export const firstsOfTrades = (
  tradeSessionIds: readonly string[],
  { name, among }: Firsts,
  near: number,
): RawBuilder<EventRow> =>
  sql<EventRow>`${prepared(`firsts-of-trades-${among}`, near)}
    select ${COLUMNS} from (select unnest(${texts(tradeSessionIds)}::text::text[]) as trade) as asked cross join lateral (
      select distinct on (data ->> 'side') earliest.* from (
        select * from (
          select * from events where trade_session_id = asked.trade and pg_backend_pid() > 0
          order by position limit ${sql.lit(MOST_PASSED)}
        ) as passed where event = ${name}::text and position <= ${near} order by position limit ${sql.lit(among)}
      ) as earliest order by data ->> 'side', position
    ) as firsts order by position`;

/** The first events of the trades that any of the given events is about, however their UUIDs were written, oldest first. */
export async function selectFirstsOfTrades(
  trx: Trx,
  about: readonly LoggedEvent[],
  firsts: Firsts,
): Promise<LoggedEvent[]> {
  const trades = tradesOf(about);
  if (trades.length === 0) return [];
  const ofSpellings = (await firstsOfTrades(trades, firsts, lastOf(about)).execute(trx)).rows.map(toEvent);
  const ofTrade = Map.groupBy(ofSpellings, ({ data: { tradeSessionId, side } }) =>
    JSON.stringify([asWeWrite(String(tradeSessionId)), side]),
  );
  return [...ofTrade.values()].map(([first]) => first as LoggedEvent);
}

/** Positions of the last events of a trade and of its offer, at most `limit` of each, and of each way in which publishers wrote its UUID. */
export async function positionsOfStory(
  db: Db,
  { tradeSessionId, offerId }: { tradeSessionId: string; offerId: string },
  limit: number,
): Promise<number[]> {
  const ofTrade = spellingsOf(tradeSessionId).map(
    (id) => sql`(select position from events where trade_session_id = ${id} order by position desc limit ${limit})`,
  );
  const ofOffer = spellingsOf(offerId).map(
    (id) => sql`
    (select position from events
     where subject_id = ${id} and subject_id is distinct from trade_session_id and event like 'offer.%'
     order by position desc limit ${limit})`,
  );
  const { rows } = await sql<{ position: number }>`${sql.join([...ofTrade, ...ofOffer], sql` union all `)}`.execute(db);
  return rows.map((r) => r.position);
}

/** The position of the last event that can be seen; 0: there is none. */
export async function lastVisible(db: Db): Promise<number> {
  const { rows } = await sql<{
    position: number;
  }>`select position from events order by position desc limit 1`.execute(db);
  return rows[0]?.position ?? 0;
}

/** The id of the first visible event above a position; null: there is none. */
export async function firstIdAfter(db: Db, position: number): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from events where position > ${position} order by position limit 1`.execute(db);
  return rows[0]?.id ?? null;
}

/** Up to here a reader of the log has come: gaps below stay empty (settle.ts). */
export async function settledByReaders(db: Db): Promise<number> {
  const { rows } = await sql<{
    position: number;
  }>`select coalesce(max(position), 0) as position from event_readers`.execute(db);
  return rows[0]?.position ?? 0;
}

/** The first position above one, and below another that is taken, that no visible event has; null: all are taken. */
export async function firstGap(db: Db, { above, below }: Range): Promise<number | null> {
  const { rows } = await sql<{ gap: number }>`
    select before + 1 as gap from (
      select position, lag(position, 1, ${above}::bigint) over (order by position) as before
      from events where position > ${above} and position <= ${below}
    ) as pairs where position > before + 1 limit 1`.execute(db);
  return rows[0]?.gap ?? null;
}

/** How large the data of events is, in bytes, by position. */
export async function selectWeights(db: Db, positions: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ position: number; bytes: number }>`
    select position, octet_length(data::text) as bytes from events where position = any(${positions}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map(({ position, bytes }) => [position, bytes]));
}
