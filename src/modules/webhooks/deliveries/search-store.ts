import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { DeliveryStatus } from '../engine/rules.ts';

/** Which deliveries are looked for. Each narrows it further. */
export interface Search {
  accounts: 'all' | readonly string[];
  status?: DeliveryStatus;
  event?: string;
  endpointId?: string;
  errorClass?: string;
  /** Ids above this one. */
  after: string;
  /** Ids below this one. */
  before: string;
}

export interface Part {
  order: 'asc' | 'desc';
  limit: number;
  /** Entries of an index, or rows, that are looked at of each account; for tests. */
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
 * What one look goes through at most, so that no filter takes longer than some tens of milliseconds, however rare is what
 * it is for: entries of an index alone, or rows of the table.
 */
const MOST_ENTRIES = 100_000;
const MOST_ROWS = 20_000;
/** Of each account, where all are looked through. */
const MOST_OF_EACH = 20_000;

/**
 * Mostly what is looked for is near, so a short look comes first. The planner goes by the bound: with a long one it may sort
 * all entries that it could be asked for, before it gives the first.
 */
const NEAR = 1000;

/** Those that the index of what is unusual has in any case. */
const UNUSUAL: readonly DeliveryStatus[] = ['PENDING', 'HELD', 'DEAD', 'DISCARDED'];

/** A way through the deliveries: which index is walked, once for each owner, and what of it is left to be asked. */
interface Way {
  /** Rows with what the index begins with: one for each walk. */
  owners: RawBuilder<unknown>;
  /** What the index begins with; its next column is the id. */
  key: readonly string[];
  /** Besides the key and the id, what is asked. */
  columns: RawBuilder<unknown>;
  /** What all entries of the index fulfil. */
  partial: RawBuilder<unknown>;
  rest: RawBuilder<unknown>[];
  most: number;
}

const ALL_ACCOUNTS = sql`select distinct account_id from webhook_endpoints`;
const uuids = (ids: readonly string[]): RawBuilder<unknown> => sql`${[...ids]}::uuid[]`;
const ownersOf = ({ accounts }: Search): RawBuilder<unknown> =>
  accounts === 'all' ? ALL_ACCOUNTS : sql`select account_id from unnest(${uuids(accounts)}) as mine (account_id)`;

const names = ({ event, endpointId }: Search): RawBuilder<unknown>[] => [
  ...(event === undefined ? [] : [sql`w.webhook = ${event}`]),
  ...(endpointId === undefined ? [] : [sql`w.endpoint_id = ${endpointId}::uuid`]),
];
const byCause = ({ errorClass }: Search): RawBuilder<unknown>[] =>
  errorClass === undefined ? [] : [sql`w.error_class = ${errorClass}`];

/** What did not arrive by its first attempt: an index has it by account and status, with all that can be asked. */
const unusualWay = (search: Search, statuses: readonly DeliveryStatus[]): Way => ({
  owners: sql`select account_id, status from (${ownersOf(search)}) as a, unnest(${[...statuses]}::text[]) as s (status)`,
  key: ['account_id', 'status'],
  columns: sql`endpoint_id, webhook, error_class`,
  partial: sql`(status <> 'DELIVERED' or attempts > 1)`,
  rest: [...names(search), ...byCause(search)],
  most: search.accounts === 'all' ? MOST_OF_EACH : MOST_ENTRIES,
});

/** Dead or held ones of one endpoint, which have an index each. */
const endpointWay = (search: Search, status: DeliveryStatus, endpointId: string): Way => ({
  owners: sql`select ${endpointId}::uuid as endpoint_id`,
  key: ['endpoint_id'],
  columns: sql`account_id, webhook, error_class`,
  partial: sql`status = ${sql.lit(status)}`,
  rest: [
    ...names(search),
    ...byCause(search),
    ...(search.accounts === 'all' ? [] : [sql`w.account_id = any(${uuids(search.accounts)})`]),
  ],
  most: MOST_ROWS,
});

/** All, by account; for operators of all accounts, by the primary key. */
const wholeWay = (search: Search): Way => {
  const isNamed = search.accounts !== 'all';
  const isDelivered = search.status !== undefined;
  return {
    owners: isNamed ? ownersOf(search) : sql`select 1 as one`,
    key: isNamed ? ['account_id'] : [],
    columns: isDelivered ? sql`endpoint_id, webhook, status, error_class` : sql`endpoint_id, webhook`,
    partial: sql`true`,
    rest: [...(isDelivered ? [sql`w.status = ${search.status}`, ...byCause(search)] : []), ...names(search)],
    most: isNamed && !isDelivered ? MOST_ENTRIES : MOST_ROWS,
  };
};

function wayOf(search: Search): Way {
  const { status, endpointId, errorClass } = search;
  if ((status === 'DEAD' || status === 'HELD') && endpointId !== undefined)
    return endpointWay(search, status, endpointId);
  if (status !== undefined && status !== 'DELIVERED') return unusualWay(search, [status]);
  return status === undefined && errorClass !== undefined ? unusualWay(search, UNUSUAL) : wholeWay(search);
}

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** In the order of the index, `from` being the table or what is made of it. */
const inOrder = ({ key }: Way, from: string, order: Part['order']): RawBuilder<unknown> =>
  sql.join([...key, 'id'].map((column) => sql`${sql.ref(`${from}.${column}`)} ${sql.raw(order)}`));

/**
 * The part of an index with one owner. Put as a comparison of lists and not as equalities: else the planner may walk the
 * primary key for an owner that it holds to be frequent, past all that is of others.
 */
function walk(way: Way, { after, before }: Search, order: Part['order'], bound: RawBuilder<unknown>) {
  const list = (from: string, last: RawBuilder<unknown>) =>
    sql`(${sql.join([...way.key.map((column) => sql.ref(`${from}.${column}`)), last])})`;
  const here = list('d', sql.ref('d.id'));
  return sql`
    select ${sql.join([...way.key, 'id'].map((column) => sql.ref(`d.${column}`)))}, ${way.columns} from webhook_deliveries d
    where ${here} > ${list('o', sql`${after}::uuid`)} and ${here} < ${list('o', sql`${before}::uuid`)} and ${way.partial}
    order by ${inOrder(way, 'd', order)} ${bound}`;
}

/** The first of a part. Of each owner at most so many entries are looked at; what is beyond is told by `reached`. */
export function searching(search: Search, part: Part): RawBuilder<{ id: string }> {
  const way = wayOf(search);
  const { order, limit, most = way.most } = part;
  return sql<{ id: string }>`
    select f.id from (${way.owners}) as o cross join lateral (
      select w.id from (${walk(way, search, order, sql`limit ${most}`)}) as w
      where ${all(way.rest)} order by ${inOrder(way, 'w', order)} limit ${limit}
    ) as f order by f.id ${sql.raw(order)} limit ${limit}`;
}

/** The first id up to which the entries of some owner were looked at; none: all were. */
function reached(search: Search, part: Part): RawBuilder<{ id: string }> {
  const way = wayOf(search);
  const { order, most = way.most } = part;
  return sql<{ id: string }>`
    select b.id from (${way.owners}) as o cross join lateral (
      ${walk(way, search, order, sql`offset ${most - 1} limit 1`)}
    ) as b order by b.id ${sql.raw(order)} limit 1`;
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

async function lookAt(db: Db | Trx, search: Search, part: Part): Promise<Found> {
  const ids = (await searching(search, part).execute(db)).rows.map(({ id }) => id);
  if (ids.length === part.limit) return { ids, next: ids.at(-1) as string };
  const [edge] = (await reached(search, part).execute(db)).rows;
  if (!edge) return { ids, next: null };
  const isWithin = (id: string): boolean => (part.order === 'asc' ? id <= edge.id : id >= edge.id);
  return { ids: ids.filter(isWithin), next: edge.id };
}

/** Events are given their id before their position: by so much one may be older than an endpoint that gets it. Milliseconds. */
const OLDER_MS = 3_600_000;

/** Nothing of an endpoint is older than it is, and all is of its account; null: the account is another one, or there is none. */
export async function narrowed(db: Db | Trx, search: Search): Promise<Search | null> {
  const { endpointId } = search;
  if (endpointId === undefined) return search;
  const { rows } = await sql<{ account_id: string; created_at: Date }>`
    select account_id, created_at from webhook_endpoints where id = ${endpointId}`.execute(db);
  const [endpoint] = rows;
  const isVisible = search.accounts === 'all' || search.accounts.includes(endpoint?.account_id ?? '');
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
  const way = wayOf(known);
  const bound = sql`limit ${way.most}`;
  const { rows } = await sql<{ endpointId: string | null; count: number; looked: number }>`
    with looked as materialized (
      select w.* from (${way.owners}) as o cross join lateral (${walk(way, known, 'asc', bound)}) as w ${bound}
    ), found as (
      select w.endpoint_id, count(*)::integer as count from looked as w where ${all(way.rest)} group by w.endpoint_id
    )
    select found.endpoint_id as "endpointId", found.count, l.looked
    from (select count(*)::integer as looked from looked) as l left join found on true
    order by found.count desc, found.endpoint_id`.execute(db);
  return {
    groups: rows.flatMap(({ endpointId, count }) => (endpointId === null ? [] : [{ endpointId, count }])),
    isExact: (rows[0]?.looked ?? 0) < way.most,
  };
}
