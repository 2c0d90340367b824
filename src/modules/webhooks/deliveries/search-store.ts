import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { type Lane, type Search, wayOf } from './ways-store.ts';

export type { Search } from './ways-store.ts';

export interface Part {
  order: 'asc' | 'desc';
  limit: number;
  /** Entries of an index, or rows, that are looked at in each lane; for tests. */
  most?: number;
}

export interface Found {
  ids: string[];
  /** Where to go on: everything up to this id, in the order of the part, was looked at. Null: there is nothing more. */
  next: string | null;
}

/** Below and above every id. */
export const LOWEST = '00000000-0000-0000-0000-000000000000';
export const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The ids of a time span, by the time that they hold (lib/ids.ts): from `since`, before `until`. */
export const idsWithin = ({ since, until }: { since?: Date; until?: Date }): Pick<Search, 'after' | 'before'> => ({
  after: since === undefined ? LOWEST : leastUuidv7(since.getTime()),
  before: until === undefined ? HIGHEST : leastUuidv7(until.getTime()),
});

/**
 * Mostly what is looked for is near, so a short look comes first. The planner goes by the bound: with a long one it may sort
 * all entries that it could be asked for, before it gives the first.
 */
const NEAR = 1000;

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

interface Walk {
  columns: RawBuilder<unknown>;
  order: Part['order'];
  bound: RawBuilder<unknown>;
  /** The id with which it ends; null: nothing is walked. Default: that of the search. */
  last?: RawBuilder<unknown>;
}

/**
 * A part of an index, in the order of ids. The first column is compared with a list of one: of a column with one value the planner
 * knows that it needs no order, and where it takes that value for frequent it walks the primary key instead, past whatever others
 * got since (for an account of a twentieth of all that was quiet for a day, all deliveries of the day).
 */
const walk = ({ first, where = sql`true` }: Lane, { after, before }: Search, walked: Walk): RawBuilder<unknown> => {
  const { columns, order, bound, last } = walked;
  const upTo = last === undefined ? sql`true` : sql`d.id ${sql.raw(order === 'asc' ? '<=' : '>=')} ${last}`;
  const [column, value] = first ?? [];
  const isOfPart = column && value ? sql`${column} = any(array[${value}])` : sql`true`;
  return sql`
  select d.id, ${column ?? sql`null`} as first, ${columns} from webhook_deliveries d
  where ${isOfPart} and ${where} and d.id > ${after}::uuid and d.id < ${before}::uuid and ${upTo}
  order by ${column ? sql`${column} ${sql.raw(order)},` : sql``} d.id ${sql.raw(order)} ${bound}`;
};

/** What `ofOne` gives for each lane; for one that goes over another query, for each row of that. */
const together = (lanes: readonly Lane[], ofOne: (lane: Lane) => RawBuilder<unknown>): RawBuilder<unknown> =>
  sql.join(
    lanes.map((lane) =>
      lane.over
        ? sql`(select f.* from (${lane.over}) as o cross join lateral (${ofOne(lane)}) as f)`
        : sql`(${ofOne(lane)})`,
    ),
    sql` union all `,
  );

/** The first of a part. Of each lane at most so many entries are looked at; what is beyond is told by `reached`. */
function searching(search: Search, { order, limit, most }: Part): RawBuilder<{ id: string }> {
  const { lanes, columns, rest, ...way } = wayOf(search);
  const bound = sql`limit ${most ?? way.most}`;
  const direction = sql.raw(order);
  const ofOne = (lane: Lane) => sql`
    select w.id from (${walk(lane, search, { columns, order, bound })}) as w
    where ${all(rest)} order by ${lane.first ? sql`w.first ${direction},` : sql``} w.id ${direction} limit ${limit}`;
  return sql<{ id: string }>`
    select found.id from (${together(lanes, ofOne)}) as found order by found.id ${direction} limit ${limit}`;
}

/** The first id up to which the entries of some lane were looked at; none: all were, or all up to `last`. */
function reached(search: Search, { order, most }: Part, last?: RawBuilder<unknown>): RawBuilder<{ id: string }> {
  const { lanes, columns, ...way } = wayOf(search);
  const bound = sql`offset ${(most ?? way.most) - 1} limit 1`;
  const ofOne = (lane: Lane) =>
    sql`select w.id from (${walk(lane, search, { columns, order, bound, ...(last && { last }) })}) as w`;
  return sql<{ id: string }>`
    select edge.id from (${together(lanes, ofOne)}) as edge order by edge.id ${sql.raw(order)} limit 1`;
}

/**
 * The first deliveries of a part, in the order of their ids. Whatever is asked for, a look is bounded: it may find fewer than
 * the limit, or none, and yet tell where to go on.
 */
export async function searchDeliveries(db: Db | Trx, search: Search, part: Part): Promise<Found> {
  const known = await narrowed(db, search);
  if (known === null) return { ids: [], next: null };
  const near = part.most === undefined ? await lookAt(db, known, { ...part, most: NEAR }) : null;
  return near && (near.next === null || near.ids.length === part.limit) ? near : lookAt(db, known, part);
}

/**
 * Both of them by one statement, which sees one state of the table: what ends or begins between two would be passed over. How far
 * it was looked is only found out where not as many were found as are wanted, and of several lanes up to the last one found: what
 * one lane has may lie behind where another was left.
 */
export function looking(search: Search, part: Part): RawBuilder<{ id: string; isEdge: boolean }> {
  const { lanes } = wayOf(search);
  const last = sql`(select id from found order by id ${sql.raw(part.order)} offset ${part.limit - 1} limit 1)`;
  const isOne = lanes.length === 1 && lanes[0]?.over === undefined;
  return sql`
    with found as materialized (${searching(search, part)})
    select id, false as "isEdge" from found
    union all
    select edge.id, true from (${reached(search, part)}) as edge where (select count(*) from found) < ${part.limit}
    ${isOne ? sql`` : sql`union all select edge.id, true from (${reached(search, part, last)}) as edge`}`;
}

async function lookAt(db: Db | Trx, search: Search, part: Part): Promise<Found> {
  const { rows } = await looking(search, part).execute(db);
  const edge = rows.find(({ isEdge }) => isEdge);
  const isWithin = (id: string): boolean => !edge || (part.order === 'asc' ? id <= edge.id : id >= edge.id);
  const ids = rows.flatMap(({ id, isEdge }) => (isEdge || !isWithin(id) ? [] : [id]));
  return { ids, next: ids.length === part.limit ? (ids.at(-1) as string) : (edge?.id ?? null) };
}

/** Events are given their id before their position, and each by the clock of its node: by so much one may be older than an endpoint that gets it. Milliseconds. */
const OLDER_MS = 86_400_000;

/** Nothing of an endpoint is older than it is, and all is of its account; null: the account is another one, or there is none of either. */
export async function narrowed(db: Db | Trx, search: Search): Promise<Search | null> {
  const { endpointId, accounts } = search;
  if (accounts.length === 0) return null;
  if (endpointId === undefined) return search;
  const { rows } = await sql<{ account_id: string; created_at: Date }>`
    select account_id, created_at from webhook_endpoints where id = ${endpointId}`.execute(db);
  const [endpoint] = rows;
  const isVisible = accounts === 'all' || accounts.includes(endpoint?.account_id ?? '');
  if (!endpoint || !isVisible) return null;
  const born = leastUuidv7(endpoint.created_at.getTime() - OLDER_MS);
  return { ...search, accounts: [endpoint.account_id], after: born > search.after ? born : search.after };
}

/** How many there are for each endpoint, among at most so many entries in all; whether these were all there are. */
export async function countByEndpoint(
  db: Db | Trx,
  search: Search,
): Promise<{ groups: { endpointId: string; count: number }[]; isExact: boolean }> {
  const known = await narrowed(db, search);
  if (known === null) return { groups: [], isExact: true };
  const { lanes, columns, rest, most } = wayOf(known);
  const bound = sql`limit ${most}`;
  const { rows } = await sql<{ endpointId: string | null; count: number; looked: number }>`
    with looked as materialized (
      select * from (${together(lanes, (lane) => walk(lane, known, { columns, order: 'asc', bound }))}) as w ${bound}
    ), found as (
      select w.endpoint_id, count(*)::integer as count from looked as w where ${all(rest)} group by w.endpoint_id
    )
    select found.endpoint_id as "endpointId", found.count, l.looked
    from (select count(*)::integer as looked from looked) as l left join found on true
    order by found.count desc, found.endpoint_id`.execute(db);
  return {
    groups: rows.flatMap(({ endpointId, count }) => (endpointId === null ? [] : [{ endpointId, count }])),
    isExact: (rows[0]?.looked ?? 0) < most,
  };
}
