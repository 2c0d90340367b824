import { type RawBuilder, sql } from 'kysely';
import { spellingsOf } from '../../lib/ids.ts';
import { type Db, isWithin, numbersWithin, type Span, type Timeline } from '../../platform/db/index.ts';
import { selectByNumbers, type StoredTrade } from './lifecycle/trade-store.ts';
import type { TradeStatus } from './lifecycle/types.ts';

export interface TradeFilter extends Span {
  /** Trades of which one of these accounts is a part. */
  accounts: 'all' | readonly string[];
  status?: TradeStatus;
  offerId?: string;
}

interface OfAccounts extends Omit<TradeFilter, 'accounts' | 'offerId'> {
  accounts: readonly string[];
}

export interface TradePage {
  /** Trades opened before the one of this number. */
  before: number | null;
  /** Trades opened after the one of this number; default: all. */
  above?: number;
  limit: number;
}

/** When trades were opened. */
const OPENED: Timeline = { table: 'trade_sessions', number: 'number', time: 'created_at' };

/** So many trades are looked through at first for what is of an account and of a status, then twice as many, and so on up to the most. */
const PORTION = { first: 2000, most: 64_000 };

/** Above every number. */
const HIGHEST = '9223372036854775807';

const isOn = (column: RawBuilder<unknown>, { before, above = 0 }: TradePage): RawBuilder<unknown> =>
  sql`${before === null ? sql`true` : sql`${column} < ${before}`} and ${above === 0 ? sql`true` : sql`${column} > ${above}`}`;

/** Among all trades, in the order of their opening or of those of the status; a trade of an offer is found by that. */
export const numbersOfAll = ({ accounts, status, offerId, ...span }: TradeFilter, page: TradePage) =>
  sql<{ number: number }>`
    select s.number from trade_sessions s
    where ${isOn(sql`s.number`, page)} and ${isWithin(sql`s.created_at`, span)} and ${status === undefined ? sql`true` : sql`s.status = ${status}`}
      and ${offerId === undefined ? sql`true` : sql`s.offer_id = any(${spellingsOf(offerId)}::text[])`}
      and ${accounts === 'all' ? sql`true` : isPart(accounts)}
    order by s.number desc limit ${page.limit}`;

/** Asked for one by one, so that the planner does not begin with all trades of the accounts. */
const isPart = (accounts: readonly string[]): RawBuilder<unknown> => sql`(
  select count(*) from trade_accounts a where a.number = s.number and a.account_id = any(${[...accounts]}::uuid[])) > 0`;

/**
 * Among the newest trades of each account, in the order of its index; and `from` where these were looked through: of the older ones
 * some are missing. 0: none is.
 */
export const numbersOfAccounts = (
  { accounts, status, ...span }: OfAccounts,
  page: TradePage,
  portion = PORTION.first,
) => {
  const { limit } = page;
  const most = status === undefined ? limit : portion;
  const isOf = (number: RawBuilder<unknown>): RawBuilder<unknown> =>
    status === undefined
      ? sql`true`
      : sql`(select s.status from trade_sessions s where s.number = ${number}) = ${status}`;
  // Looked at before the limit: of the part only the trades at its edges are of another time (platform/db/time-span.ts).
  const isOfTime =
    span.since === undefined && span.until === undefined
      ? sql`true`
      : sql`(select ${isWithin(sql`s.created_at`, span)} from trade_sessions s where s.number = a.number)`;
  return sql<{ number: number | null; from: number }>`
    with newest as materialized (
      select of_account.id, found.number from unnest(${[...accounts]}::uuid[]) as of_account (id) cross join lateral (
        select a.number from trade_accounts a
        where a.account_id = of_account.id and ${isOn(sql`a.number`, page)} and ${isOfTime}
        order by a.number desc limit ${most}
      ) as found
    )
    select reach.from, f.number from (
      select coalesce(max(until), 0) as from from (
        select min(number) as until from newest group by id having count(*) >= ${most}::integer
      ) as cut_off
    ) as reach left join (
      select distinct number from newest where ${isOf(sql`newest.number`)} order by number desc limit ${limit}
    ) as f on true order by f.number desc`;
};

/**
 * As `numbersOfAccounts`, among the newest trades of a status. Compared by rows: of a status that it takes for frequent the planner would walk all
 * trades instead, past those of others.
 */
export const numbersOfStatus = ({ accounts, status, ...span }: OfAccounts, page: TradePage, portion = PORTION.first) =>
  sql<{ number: number | null; from: number }>`
    with newest as materialized (
      select s.number from trade_sessions s
      where (s.status, s.number) > (${status}::text, ${page.above ?? 0}::bigint)
        and (s.status, s.number) < (${status}::text, ${page.before ?? HIGHEST}::bigint) and ${isWithin(sql`s.created_at`, span)}
      order by s.status desc, s.number desc limit ${portion}
    )
    select reach.from, f.number from (
      select case when count(*) >= ${portion}::integer then min(number) else 0 end as from from newest
    ) as reach left join (
      select s.number from newest s where ${isPart(accounts)} order by s.number desc limit ${page.limit}
    ) as f on true order by f.number desc`;

/**
 * Trades of accounts, of a status if one is asked for: looked for among theirs and among those of the status, in turn, a portion of each and on
 * downwards, until one of the two has a whole page or ends. So neither a status that is rare with an account with many trades nor an account that has
 * few of a frequent status has more than some four times the fewer of the two looked through; and of a million trades, of which none is found, in some twenty rounds.
 */
async function numbersOf(db: Db, filter: OfAccounts, page: TradePage): Promise<number[]> {
  const queries = filter.status === undefined ? [numbersOfAccounts] : [numbersOfAccounts, numbersOfStatus];
  const ways = queries.map((query) => ({ query, found: [] as number[], before: page.before }));
  for (let portion = PORTION.first; ; portion = Math.min(2 * portion, PORTION.most)) {
    for (const way of ways) {
      const rest = { ...page, before: way.before, limit: page.limit - way.found.length };
      const { rows } = await way.query(filter, rest, portion).execute(db);
      const from = rows[0]?.from ?? 0;
      way.found.push(...rows.flatMap(({ number }) => (number === null || number < from ? [] : [number])));
      if (way.found.length === page.limit || from === 0) return way.found;
      way.before = from;
    }
  }
}

/** The part of the list in which the trades of a time are. */
async function partOf(db: Db, span: Span, page: TradePage): Promise<TradePage> {
  if (span.since === undefined && span.until === undefined) return page;
  const { above, below } = await numbersWithin(db, OPENED, span);
  return { ...page, above, before: Math.min(below, page.before ?? below) };
}

/** Trades that pass the filter, newest first. */
export async function selectTrades(db: Db, filter: TradeFilter, page: TradePage): Promise<StoredTrade[]> {
  const { accounts, offerId, ...rest } = filter;
  if (accounts !== 'all' && accounts.length === 0) return [];
  const part = await partOf(db, rest, page);
  if (accounts !== 'all' && offerId === undefined) {
    return selectByNumbers(db, await numbersOf(db, { accounts, ...rest }, part));
  }
  const { rows } = await numbersOfAll(filter, part).execute(db);
  return selectByNumbers(
    db,
    rows.map((row) => row.number),
  );
}
