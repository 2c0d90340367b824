import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';
import { along, byName, conditions, inRange, type LogFilter, type Portion, type Way } from './filter-store.ts';

export type AudienceFilter = Omit<LogFilter, 'accounts'> & { accounts: readonly string[] };
type Part = Pick<Portion, 'range' | 'limit'> & { order?: Portion['order'] };

/** Events of a name that are looked through for those of an account: of a rare name, these are all. */
const OF_NAME = 2000;

const uuids = (accounts: readonly string[]): RawBuilder<unknown> => sql`${[...accounts]}::uuid[]`;

/**
 * Positions of the newest (or, ascending, the oldest) events whose audience names one of these accounts, each once. Hardly an audience has more than
 * two accounts: the first and the second have an index each, in the order of the log; the wider ones are gathered. (Their id is for
 * the planner: the primary key has all but that, and would be gone through from one end to the other.)
 */
export function audiencePositions(
  { accounts, ...filter }: AudienceFilter,
  { range, limit, order = 'desc' }: Part,
): RawBuilder<{ position: number }> {
  const direction = sql.raw(order);
  const rest: LogFilter = { ...filter, accounts: 'all' };
  const byPlace = (place: 1 | 2): RawBuilder<unknown> => {
    const column = sql`account_ids[${sql.lit(place)}]`;
    const way: Way = { column, value: sql`mine.account`, partial: sql`${column} is not null`, rest };
    return sql`select found.position from unnest(${uuids(accounts)}) as mine (account)
      cross join lateral (${along(way, { range, limit, order })}) as found`;
  };
  return sql`
    with wide as materialized (
      select position, id, event, recorded_at from events
      where cardinality(account_ids) > 2 and account_ids && ${uuids(accounts)} and ${inRange(range)}
    )
    select position from (
      ${byPlace(1)} union ${byPlace(2)}
      union (select position from wide where ${conditions(rest)} order by position ${direction} limit ${limit})
    ) as found order by position ${direction} limit ${limit}`;
}

/** The same among the newest events of a name, with how many of these were looked at. */
export const namedPositions = (
  { event, ...filter }: AudienceFilter & { event: string },
  { range, limit }: Part,
): RawBuilder<{ position: number | null; looked: number }> => {
  const columns = sql`position, event, recorded_at, account_ids`;
  const portion: Portion = { range, order: 'desc', limit: OF_NAME };
  return sql`
    with named as materialized (${along(byName(event, { event, accounts: 'all' }), portion, columns)})
    select c.looked, p.position from (select count(*)::integer as looked from named) as c left join (
      select position from named where ${conditions(filter)} order by position desc limit ${limit}
    ) as p on true order by p.position desc`;
};

/** Positions of the newest events of accounts that pass the filter. */
export async function newestOfAudience(db: Db, filter: AudienceFilter, part: Part): Promise<{ position: number }[]> {
  if (filter.accounts.length === 0) return [];
  if (filter.event !== undefined) {
    const { rows } = await namedPositions({ ...filter, event: filter.event }, part).execute(db);
    const found = rows.flatMap(({ position }) => (position === null ? [] : [{ position }]));
    if (found.length === part.limit || (rows[0]?.looked ?? 0) < OF_NAME) return found;
  }
  return (await audiencePositions(filter, part).execute(db)).rows;
}
