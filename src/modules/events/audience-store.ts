import { type RawBuilder, sql } from 'kysely';
import { type Db, inTransaction } from '../../platform/db/index.ts';
import { along, conditions, inRange, type LogFilter, type Portion, type Range, type Way } from './filter-store.ts';

export type AudienceFilter = Omit<LogFilter, 'accounts'> & { accounts: readonly string[] };
type NamedFilter = AudienceFilter & { event: string };
type Part = Pick<Portion, 'range' | 'limit'>;

/** The newest events of an account, in either place, that are looked through for those of a name. */
const LOOKED_THROUGH = 300;
/** For two bitmaps of a million entries each; with less, they would name pages instead of rows. */
const BITMAPS_MEMORY = '64MB';

const uuids = (accounts: readonly string[]): RawBuilder<unknown> => sql`${[...accounts]}::uuid[]`;

/** (Their id is for the planner: the primary key has all but that, and would be gone through from one end to the other.) */
const wideOnes = (accounts: readonly string[], range: Range): RawBuilder<unknown> => sql`
    wide as materialized (
      select position, id, event, recorded_at from events
      where cardinality(account_ids) > 2 and account_ids && ${uuids(accounts)} and ${inRange(range)}
    )`;

/**
 * Positions of the newest (or, ascending, the oldest) events whose audience names one of these accounts, each once. Hardly an audience has more than
 * two accounts: the first and the second have an index each, in the order of the log; the wider ones are gathered.
 */
export function audiencePositions(
  { accounts, ...filter }: AudienceFilter,
  { range, limit, order = 'desc' }: Part & { order?: Portion['order'] },
): RawBuilder<{ position: number }> {
  const direction = sql.raw(order);
  const rest: LogFilter = { ...filter, accounts: 'all' };
  const byPlace = (place: 1 | 2): RawBuilder<unknown> => {
    const column = sql`account_ids[${sql.lit(place)}]`;
    const way: Way = { columns: [column], values: [sql`mine.account`], partial: sql`${column} is not null`, rest };
    return sql`select found.position from unnest(${uuids(accounts)}) as mine (account)
      cross join lateral (${along(way, { range, limit, order })}) as found`;
  };
  return sql`
    with ${wideOnes(accounts, range)}
    select position from (
      ${byPlace(1)} union ${byPlace(2)}
      union (select position from wide where ${conditions(rest)} order by position ${direction} limit ${limit})
    ) as found order by position ${direction} limit ${limit}`;
}

/**
 * Those of a name among the last few hundred events of each account, and `from` where these were looked through: what is older is not
 * in it.
 */
export const recentPositions = (
  { accounts, ...filter }: NamedFilter,
  { range, limit }: Part,
): RawBuilder<{ position: number | null; from: number }> => {
  const all: LogFilter = { accounts: 'all' };
  const rest = conditions({ ...filter, accounts: 'all' });
  const portion: Portion = { range, order: 'desc', limit: LOOKED_THROUGH };
  const byPlace = (place: 1 | 2): RawBuilder<unknown> => {
    const column = sql`account_ids[${sql.lit(place)}]`;
    const way: Way = { columns: [column], values: [sql`mine.account`], partial: sql`${column} is not null`, rest: all };
    return sql`select found.*, mine.account, ${sql.lit(place)} as place from unnest(${uuids(accounts)}) as mine (account)
      cross join lateral (${along(way, portion, sql`position, event, recorded_at`)}) as found`;
  };
  return sql`
    with ${wideOnes(accounts, range)}, looked as materialized (${byPlace(1)} union all ${byPlace(2)}), reach as (
      select coalesce(max(until), 0) as from from (
        select min(position) as until from looked group by account, place having count(*) = ${LOOKED_THROUGH}::integer
      ) as ways
    )
    select p.position, reach.from from reach left join (
      select position from looked where ${rest} union select position from wide where ${rest} order by position desc limit ${limit}
    ) as p on true order by p.position desc`;
};

/**
 * The same by the indexes of accounts and of names together, which find the rows that have both before any is read. Whatever an
 * account and an event have in common, this reads what there is of the two in the indexes, and no rows but those that are asked for.
 * The range is put so that no index takes it: the planner combines no indexes that share a condition.
 */
export const commonPositions = (
  { accounts, ...filter }: NamedFilter,
  { range, limit }: Part,
): RawBuilder<{ position: number }> => {
  const rest = conditions({ ...filter, accounts: 'all' });
  return sql`
    with ${wideOnes(accounts, range)}, common as materialized (
      select position from events
      where (account_ids[1] = any(${uuids(accounts)}) or account_ids[2] = any(${uuids(accounts)}))
        and hashtextextended(event, 0) = hashtextextended(${filter.event}::text, 0)
        and position + 0 > ${range.above} and position + 0 < ${range.below} and ${rest}
    )
    select position from (
      select position from common union select position from wide where ${rest}
    ) as found order by position desc limit ${limit}`;
};

/** `commonPositions`, by one process of the server and with room for its bitmaps. */
async function findCommon(db: Db, filter: NamedFilter, part: Part): Promise<{ position: number }[]> {
  const find = async (trx: Db): Promise<{ position: number }[]> => {
    await sql`select set_config('work_mem', ${BITMAPS_MEMORY}, true), set_config('max_parallel_workers_per_gather', '0', true)`.execute(
      trx,
    );
    return (await commonPositions(filter, part).execute(trx)).rows;
  };
  return db.isTransaction ? find(db) : inTransaction(db, find);
}

/** Positions of the newest events of accounts that pass the filter. */
export async function newestOfAudience(db: Db, filter: AudienceFilter, part: Part): Promise<{ position: number }[]> {
  if (filter.accounts.length === 0) return [];
  const { event } = filter;
  if (event === undefined) return (await audiencePositions(filter, part).execute(db)).rows;
  const { rows } = await recentPositions({ ...filter, event }, part).execute(db);
  const from = rows[0]?.from ?? 0;
  const recent = rows.flatMap(({ position }) => (position === null || position < from ? [] : [{ position }]));
  return recent.length === part.limit || from === 0 ? recent : findCommon(db, { ...filter, event }, part);
}
