import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { EndpointStatus } from '../engine/types.ts';
import type { DisabledFor } from '../recovery/rules.ts';
import type { EndpointKind } from './schemas.ts';

export interface EndpointRow {
  id: string;
  account_id: string;
  kind: EndpointKind;
  url: string;
  events: string[] | null;
  description: string;
  headers_sealed: string | null;
  max_in_flight: number | null;
  rate_per_second: number | null;
  status: EndpointStatus;
  status_reason: string | null;
  after_position: number;
  /** What was read from its feed up to here needs no push any more. */
  pulled_position: number;
  version: number;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  /** The columns from here on are written by recovery/, but for a resume and a new address. */
  failing_since: Date | null;
  opened_at: Date | null;
  disabled_for: DisabledFor | null;
  disabled_at: Date | null;
  probe_at: Date | null;
  probe_id: string | null;
  probe_asked: boolean;
  probes: number;
}

/** Those columns of an endpoint that is open and of which nothing is known. */
export const OPEN = {
  failing_since: null,
  disabled_for: null,
  disabled_at: null,
  probe_at: null,
  probe_id: null,
  probe_asked: false,
  probes: 0,
} as const satisfies Partial<EndpointRow>;

export type EndpointTables = { webhook_endpoints: EndpointRow };

const tables = (db: Db | Trx) => db.withTables<EndpointTables>();

export const insertEndpoint = async (trx: Trx, row: EndpointRow): Promise<void> => {
  await tables(trx).insertInto('webhook_endpoints').values(row).execute();
};

export const updateEndpointRow = async (trx: Trx, id: string, change: Partial<EndpointRow>): Promise<void> => {
  await tables(trx).updateTable('webhook_endpoints').set(change).where('id', '=', id).execute();
};

/** Endpoints written under a change version above this one, deleted ones included. */
export const selectEndpointsSince = (db: Db, version: number): Promise<EndpointRow[]> =>
  tables(db).selectFrom('webhook_endpoints').selectAll().where('version', '>', version).orderBy('version').execute();

/** One that is not deleted. */
export async function selectEndpoint(db: Db | Trx, id: string, kind: EndpointKind): Promise<EndpointRow | null> {
  const row = await tables(db)
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

export async function countEndpoints(trx: Trx, accountId: string): Promise<number> {
  const row = await tables(trx)
    .selectFrom('webhook_endpoints')
    .select(sql<number>`count(*)`.as('n'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.n;
}

export interface EndpointFilter {
  kind: EndpointKind;
  accounts: 'all' | readonly string[];
  page: number;
  limit: number;
}

/** Newest first, with the number of all. */
export async function selectEndpoints(db: Db, filter: EndpointFilter): Promise<{ total: number; rows: EndpointRow[] }> {
  const { accounts } = filter;
  let query = tables(db)
    .selectFrom('webhook_endpoints')
    .where('kind', '=', filter.kind)
    .where('deleted_at', 'is', null);
  if (accounts !== 'all') query = query.where(sql<boolean>`account_id = any(${[...accounts]}::uuid[])`);
  const { n } = await query.select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  const rows = await query
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit)
    .execute();
  return { total: n, rows };
}

/** What is told of an endpoint beside its id. */
export interface EndpointName {
  /** Of one that is deleted the last one. */
  url: string;
  isDeleted: boolean;
}

/** The names of these endpoints, by id. */
export async function selectNames(db: Db | Trx, ids: readonly string[]): Promise<ReadonlyMap<string, EndpointName>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<EndpointName & { id: string }>`
    select id, url, deleted_at is not null as "isDeleted" from webhook_endpoints
    where id = any(${[...new Set(ids)]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, ...name }) => [id, name]));
}

/** Whether the endpoint exists and is not deleted. */
export async function hasEndpoint(trx: Trx, id: string): Promise<boolean> {
  const row = await tables(trx)
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Until the transaction ends, nobody else locks or changes the endpoint. */
export async function lockEndpoint(trx: Trx, id: string): Promise<void> {
  await sql`select from webhook_endpoints where id = ${id} for no key update`.execute(trx);
}
