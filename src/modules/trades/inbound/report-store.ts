import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db, Span, Trx } from '../../../platform/db/index.ts';
import type { ReportEvent } from '../lifecycle/decide-report.ts';
import type { Side } from '../lifecycle/types.ts';
import { type Verdict, VERDICTS } from './schemas.ts';

/** A report as it was recorded. */
export interface InboundRow {
  id: string;
  accountId: string;
  event: string | null;
  tradeSessionId: string | null;
  side: Side | null;
  occurredAt: Date | null;
  body: string;
  verdict: Verdict;
  errorCode: string | null;
  message: string | null;
  eventIds: readonly string[];
  repeats: string | null;
  /** Requests like it of the same minute that have no row. */
  further: number;
  requestId: string;
  receivedAt: Date;
}

const COLUMNS = sql`id, account_id as "accountId", event, trade_session_id as "tradeSessionId", side, occurred_at as "occurredAt", body,
  verdict, error_code as "errorCode", message, event_ids::text[] as "eventIds", repeats, further, request_id as "requestId",
  received_at as "receivedAt"`;

/** Records a report with its verdict. */
export async function insertReport(db: Db | Trx, row: Omit<InboundRow, 'further'>): Promise<void> {
  const { eventIds } = row;
  await sql`
    insert into inbound_reports (id, account_id, event, trade_session_id, side, occurred_at, body, verdict, error_code, message,
      event_ids, repeats, request_id, received_at)
    values (${row.id}, ${row.accountId}, ${row.event}, ${row.tradeSessionId}, ${row.side}, ${row.occurredAt}, ${row.body},
      ${row.verdict}, ${row.errorCode}, ${row.message}, ${[...eventIds]}::uuid[], ${row.repeats}, ${row.requestId},
      ${row.receivedAt})`.execute(db);
}

/** Counts one more request like the one of this row. False: there is no such row. */
export async function countFurther(db: Db | Trx, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update inbound_reports set further = further + 1 where id = ${id} and further < 2147483647`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Removes at most so many reports that did nothing and came before; how many. What was accepted stays: by it a repetition is
 * known, however late it comes.
 */
export async function deleteIdle(db: Db, before: Date, portion: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from inbound_reports where id = any(array(
      select id from inbound_reports where verdict in ('REFUSED', 'REPEATED') and id < ${leastUuidv7(before.getTime())}::uuid
      limit ${portion}))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** The report of this kind that was accepted before: contract, "deduplicated by account + tradeSessionId + side + event". */
export async function findAccepted(
  trx: Trx,
  { accountId, tradeSessionId, side, event }: { accountId: string; tradeSessionId: string; side: Side; event: string },
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from inbound_reports where account_id = ${accountId} and trade_session_id = ${tradeSessionId} and side = ${side}
      and event = ${event} and verdict = 'ACCEPTED'`.execute(trx);
  return rows[0]?.id ?? null;
}

/** `since`, `until`: by when they were received, which their ids tell. */
export interface InboundFilter extends Span {
  accounts: 'all' | readonly string[];
  tradeSessionIds?: readonly string[] | undefined;
  verdict?: Verdict | undefined;
  event?: ReportEvent | undefined;
}

interface Place {
  before: string | null;
  limit: number;
}

/** Below and above every id. */
const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The ids from `first` on, and before `end`. */
function idsOf({ since, until }: Span, { before }: Place): { first: RawBuilder<unknown>; end: RawBuilder<unknown> } {
  const first = since === undefined ? LOWEST : leastUuidv7(since.getTime());
  const ends = [before?.toLowerCase() ?? HIGHEST, until === undefined ? HIGHEST : leastUuidv7(until.getTime())];
  return { first: sql`${first}::uuid`, end: sql`${ends.toSorted()[0]}::uuid` };
}

interface Key {
  column: RawBuilder<unknown>;
  value: RawBuilder<unknown>;
}

/** The columns of an index before the id. One has the reports of an event by their verdict, so each verdict is a part of its own. */
const keysOf = ({ accounts, event, verdict }: InboundFilter): Key[] => {
  const ofVerdict = verdict === undefined ? [] : [{ column: sql`verdict`, value: sql`${verdict}::text` }];
  return [
    ...(accounts === 'all' ? [] : [{ column: sql`account_id`, value: sql`mine.account` }]),
    ...(event === undefined
      ? ofVerdict
      : [
          { column: sql`event`, value: sql`${event}::text` },
          { column: sql`verdict`, value: sql`part.wanted` },
        ]),
  ];
};

/** What the parts of `keysOf` are of. */
const partsOf = ({ accounts, event, verdict }: InboundFilter): RawBuilder<unknown> =>
  sql.join(
    [
      sql`(select) as one`,
      ...(accounts === 'all' ? [] : [sql`unnest(${[...new Set(accounts)]}::uuid[]) as mine (account)`]),
      ...(event === undefined
        ? []
        : [sql`unnest(${[...(verdict === undefined ? VERDICTS : [verdict])]}::text[]) as part (wanted)`]),
    ],
    sql` cross join `,
  );

/** Those of a trade are few: an index has them by it alone. */
function reportsOfTrade(ids: readonly string[], filter: InboundFilter, place: Place): RawBuilder<InboundRow> {
  const { accounts, event, verdict } = filter;
  const { first, end } = idsOf(filter, place);
  const conditions = [
    sql`trade_session_id in (${sql.join([...new Set(ids)])}) and id >= ${first} and id < ${end}`,
    ...(accounts === 'all' ? [] : [sql`account_id = any(${[...new Set(accounts)]}::uuid[])`]),
    ...(event === undefined ? [] : [sql`event = ${event}`]),
    ...(verdict === undefined ? [] : [sql`verdict = ${verdict}`]),
  ];
  return sql`
    select ${COLUMNS} from inbound_reports where ${sql.join(conditions, sql` and `)} order by id desc limit ${place.limit}`;
}

/**
 * Reports received before another one, newest first: ids are UUID v7. Those of an account, of a verdict and of an event are in an
 * index in their order. Put as a comparison of rows and not as equalities: of a column with one value the planner knows that it
 * needs no order, and where it takes that value for frequent it walks another index, past all that others have sent since, or all
 * other events of an account.
 */
export function reportsQuery(filter: InboundFilter, place: Place): RawBuilder<InboundRow> {
  if (filter.tradeSessionIds !== undefined) return reportsOfTrade(filter.tradeSessionIds, filter, place);
  const keys = keysOf(filter);
  const { first, end } = idsOf(filter, place);
  const columns = [...keys.map(({ column }) => column), sql`id`];
  const at = (id: RawBuilder<unknown>) => sql`(${sql.join([...keys.map(({ value }) => value), id])})`;
  return sql`
    select ${COLUMNS} from ${partsOf(filter)} cross join lateral (
      select * from inbound_reports
      where (${sql.join(columns)}) >= ${at(first)} and (${sql.join(columns)}) < ${at(end)}
        and ${filter.event === undefined ? sql`true` : sql`event is not null`}
      order by ${sql.join(columns.map((column) => sql`${column} desc`))} limit ${place.limit}
    ) as r
    order by id desc limit ${place.limit}`;
}

/** See `reportsQuery`. */
export const selectReports = async (db: Db, ...of: Parameters<typeof reportsQuery>): Promise<InboundRow[]> =>
  (await reportsQuery(...of).execute(db)).rows;

export async function selectReport(db: Db, id: string): Promise<InboundRow | null> {
  const { rows } = await sql<InboundRow>`select ${COLUMNS} from inbound_reports where id = ${id}`.execute(db);
  return rows[0] ?? null;
}
