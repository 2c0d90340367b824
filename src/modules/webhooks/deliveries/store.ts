import { type RawBuilder, sql } from 'kysely';
import type { WebhookName } from '../../../contracts/events/index.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { deliveriesOf, type EventRef, readAttemptLog } from '../engine/delivery-store.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import { isRetained } from '../retention/store.ts';
import type { AttemptRecord } from '../engine/types.ts';

export interface DeliveryRow {
  id: string;
  event_position: number | null;
  event_id: string;
  webhook: WebhookName;
  endpoint_id: string;
  account_id: string;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date | null;
  replay_of: string | null;
  request_id: string;
  error_class: string | null;
  body: string | null;
  created_at: Date;
  updated_at: Date;
}

type DeliveryTables = {
  webhook_deliveries: DeliveryRow & {
    attempt_log: string;
    lease_owner: string | null;
    lease_until: Date | null;
  };
};

const tables = (db: Db | Trx) => db.withTables<DeliveryTables>();

const COLUMNS = [
  'id',
  'event_position',
  'event_id',
  'webhook',
  'endpoint_id',
  'account_id',
  'status',
  'attempts',
  'next_attempt_at',
  'replay_of',
  'request_id',
  'error_class',
  'body',
  'created_at',
  'updated_at',
] as const;

export interface DeliveryFilter {
  status?: DeliveryStatus;
  event?: string;
  endpointId?: string;
  /** Of these events, replays among them. */
  events?: readonly EventRef[];
  since?: Date;
  until?: Date;
  accounts: 'all' | readonly string[];
  /** What is usual; what is past its retention is not found. Absent: all that is stored is. */
  retentionDays?: number;
  /** Ids below this one: older. */
  before: string | null;
  limit: number;
}

/** Newest first: ids hold the time, of first deliveries that of their event. */
export function deliveriesQuery(db: Db, f: DeliveryFilter) {
  const from = f.events ? deliveriesOf(f.events) : sql.table('webhook_deliveries');
  let query = tables(db)
    .selectFrom((from as RawBuilder<DeliveryRow>).as('d'))
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(f.limit);
  if (f.status !== undefined) query = query.where('status', '=', sql.lit(f.status));
  if (f.event !== undefined) query = query.where('webhook', '=', f.event as WebhookName);
  if (f.endpointId !== undefined) query = query.where('endpoint_id', '=', f.endpointId);
  if (f.since !== undefined) query = query.where('created_at', '>=', f.since);
  if (f.until !== undefined) query = query.where('created_at', '<', f.until);
  if (f.retentionDays !== undefined) query = query.where(isRetained(f.retentionDays));
  if (f.before !== null) query = query.where('id', '<', f.before);
  if (f.accounts !== 'all') query = query.where(sql<boolean>`account_id = any(${[...f.accounts]}::uuid[])`);
  return query;
}

/** Newest first. */
export const selectDeliveries = (db: Db, filter: DeliveryFilter): Promise<DeliveryRow[]> =>
  deliveriesQuery(db, filter).execute();

/**
 * Deliveries of an event to these endpoints: of each endpoint and webhook the first one and the newest replays, together
 * at most `most`, newest first; with each, how many there are in all and whether one of them has arrived.
 */
export async function selectDeliveriesOfEvent(
  db: Db,
  event: EventRef,
  endpointIds: readonly string[],
  most: number,
): Promise<(DeliveryRow & { of_all: number; arrived: boolean })[]> {
  const { rows } = await sql<DeliveryRow & { of_all: number; arrived: boolean }>`
    select ${sql.join(COLUMNS.map((name) => sql.ref(name)))}, of_all, arrived from (
      select d.*, (count(*) over same)::integer as of_all, bool_or(status = 'DELIVERED') over same as arrived,
        row_number() over (same order by replay_of is not null, id desc) as place
      from ${deliveriesOf([event])} d
      where endpoint_id = any(${[...endpointIds]}::uuid[])
      window same as (partition by endpoint_id, webhook)
    ) as found where place <= ${most} order by id desc`.execute(db);
  return rows;
}

/** The delivery with its attempts, unless it is past its retention. */
export async function selectDelivery(
  db: Db | Trx,
  id: string,
  retentionDays: number,
): Promise<(DeliveryRow & { attempt_log: AttemptRecord[] }) | null> {
  const row = await tables(db)
    .selectFrom('webhook_deliveries as d')
    .select([...COLUMNS, 'attempt_log'])
    .where('id', '=', id)
    .where(isRetained(retentionDays))
    .executeTakeFirst();
  return row ? { ...row, attempt_log: readAttemptLog(row.attempt_log) } : null;
}

/** A delivery that no fan-out made (replay, test), due now. */
export async function insertDue(trx: Trx, row: DeliveryRow): Promise<void> {
  await tables(trx)
    .insertInto('webhook_deliveries')
    .values({ ...row, attempt_log: '', lease_owner: null, lease_until: null })
    .execute();
}

/** Why a held delivery was discarded: another one was made in its place. */
export const REPLAYED = 'REPLAYED';

/** Ends a held delivery that is replayed; false when it is not held any more. */
export async function discardHeld(trx: Trx, id: string, now: Date): Promise<boolean> {
  const rows = await tables(trx)
    .updateTable('webhook_deliveries')
    .set({ status: 'DISCARDED', error_class: REPLAYED, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'HELD')
    .returning('id')
    .execute();
  return rows.length === 1;
}
