import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { Side } from '../lifecycle/types.ts';
import type { Verdict } from './schemas.ts';

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

export interface InboundFilter {
  accounts: 'all' | readonly string[];
  tradeSessionIds?: readonly string[] | undefined;
  verdict?: Verdict | undefined;
}

/**
 * Reports received before another one, newest first: ids are UUID v7. Those of an account, and those of a verdict, are in an index in
 * their order. Its first column is compared with a list of one: else the planner may walk the primary key past all that others
 * have sent since.
 */
export const reportsQuery = (
  { accounts, tradeSessionIds, verdict }: InboundFilter,
  { before, limit }: { before: string | null; limit: number },
): RawBuilder<InboundRow> => {
  const of = sql.join(
    [
      ...(tradeSessionIds === undefined ? [] : [sql`trade_session_id in (${sql.join([...new Set(tradeSessionIds)])})`]),
      ...(before === null ? [] : [sql`id < ${before}::uuid`]),
      sql`true`,
    ],
    sql` and `,
  );
  const ids = accounts === 'all' ? null : sql`${[...new Set(accounts)]}::uuid[]`;
  const isVerdict = verdict === undefined ? sql`true` : sql`verdict = ${sql.lit(verdict)}`;
  if (tradeSessionIds !== undefined) {
    const isOfAccount = ids === null ? sql`true` : sql`account_id = any(${ids})`;
    return sql`
      select ${COLUMNS} from inbound_reports where ${isOfAccount} and ${isVerdict} and ${of} order by id desc limit ${limit}`;
  }
  if (ids === null) {
    const [isFirst, first] =
      verdict === undefined ? [sql`true`, sql``] : [sql`verdict = any(array[${sql.lit(verdict)}])`, sql`verdict desc,`];
    return sql`
      select ${COLUMNS} from inbound_reports where ${isFirst} and ${of} order by ${first} id desc limit ${limit}`;
  }
  return sql`
    select ${COLUMNS} from unnest(${ids}) as mine (account) cross join lateral (
      select * from inbound_reports where account_id = any(array[mine.account]) and ${isVerdict} and ${of}
      order by account_id desc, id desc limit ${limit}
    ) as r
    order by id desc limit ${limit}`;
};

/** See `reportsQuery`. */
export const selectReports = async (db: Db, ...of: Parameters<typeof reportsQuery>): Promise<InboundRow[]> =>
  (await reportsQuery(...of).execute(db)).rows;

export async function selectReport(db: Db, id: string): Promise<InboundRow | null> {
  const { rows } = await sql<InboundRow>`select ${COLUMNS} from inbound_reports where id = ${id}`.execute(db);
  return rows[0] ?? null;
}
