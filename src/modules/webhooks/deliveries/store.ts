import { type RawBuilder, sql } from 'kysely';
import type { WebhookName } from '../../../contracts/events/index.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import { deliveriesOf, type EventRef, readAttemptLog } from '../engine/delivery-store.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import { isRetained } from '../retention/store.ts';
import type { AttemptRecord } from '../engine/types.ts';
import type { Part, Search } from './search-store.ts';

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
  /** Why somebody ended it. */
  discard_reason: string | null;
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
  'discard_reason',
  'created_at',
  'updated_at',
] as const;

/** Deliveries of these events, replays among them. */
export interface EventFilter extends Search {
  events: readonly EventRef[];
  /** What is usual; what is past its retention is not found. Absent: all that is stored is. */
  retentionDays?: number;
}

/** In the order of ids, which hold the time, of first deliveries that of their event. */
export function deliveriesQuery(db: Db | Trx, f: EventFilter, { order, limit }: Pick<Part, 'order' | 'limit'>) {
  let query = tables(db)
    .selectFrom((deliveriesOf(f.events) as RawBuilder<DeliveryRow>).as('d'))
    .select(COLUMNS)
    .where('id', '>', f.after)
    .where('id', '<', f.before)
    .orderBy('id', order)
    .limit(limit);
  if (f.status !== undefined) query = query.where('status', '=', sql.lit(f.status));
  if (f.event !== undefined) query = query.where('webhook', '=', f.event as WebhookName);
  if (f.endpointId !== undefined) query = query.where('endpoint_id', '=', f.endpointId);
  if (f.errorClass !== undefined) query = query.where('error_class', '=', f.errorClass);
  if (f.retentionDays !== undefined) query = query.where(isRetained(f.retentionDays));
  if (f.accounts !== 'all') query = query.where(sql<boolean>`account_id = any(${[...f.accounts]}::uuid[])`);
  return query;
}

/** Deliveries of these events, replays among them. */
export const selectOfEvents = (
  db: Db | Trx,
  filter: EventFilter,
  part: Pick<Part, 'order' | 'limit'>,
): Promise<DeliveryRow[]> => deliveriesQuery(db, filter, part).execute();

/** The deliveries of these ids that are not past their retention, in no particular order. */
export const selectByIds = (db: Db, ids: readonly string[], retentionDays: number): Promise<DeliveryRow[]> =>
  tables(db)
    .selectFrom('webhook_deliveries as d')
    .select(COLUMNS)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where(isRetained(retentionDays))
    .execute();

/**
 * Deliveries of an event to these endpoints, with `retentionDays` without those past their retention: of each endpoint and webhook the first one and the newest replays, together
 * at most `most`, newest first; with each, how many there are in all and whether one of them has arrived.
 */
export async function selectDeliveriesOfEvent(
  db: Db | Trx,
  event: EventRef,
  endpointIds: readonly string[],
  { most, retentionDays }: { most: number; retentionDays?: number },
): Promise<(DeliveryRow & { of_all: number; arrived: boolean })[]> {
  const { rows } = await sql<DeliveryRow & { of_all: number; arrived: boolean }>`
    select ${sql.join(COLUMNS.map((name) => sql.ref(name)))}, of_all, arrived from (
      select d.*, (count(*) over same)::integer as of_all, bool_or(status = 'DELIVERED') over same as arrived,
        row_number() over (same order by replay_of is not null, id desc) as place
      from ${deliveriesOf([event])} d
      where endpoint_id = any(${[...endpointIds]}::uuid[])
        and ${retentionDays === undefined ? sql`true` : isRetained(retentionDays)}
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

/** Replays of a delivery as far as they are stored, also past their retention, newest first: found among the deliveries of its event that no fan-out made. */
export async function selectReplays(
  db: Db | Trx,
  { id, event_position, endpoint_id }: Pick<DeliveryRow, 'id' | 'event_position' | 'endpoint_id'>,
  most: number,
): Promise<Pick<DeliveryRow, 'id' | 'status' | 'created_at'>[]> {
  if (event_position === null) return [];
  return (
    tables(db)
      .selectFrom('webhook_deliveries as d')
      .select(['id', 'status', 'created_at'])
      .where('event_position', '=', event_position)
      // Which is the condition of an index.
      .where(sql<boolean>`left(id::text, 18) <> left(event_id::text, 18)`)
      .where('endpoint_id', '=', endpoint_id)
      .where('replay_of', '=', id)
      .orderBy('id', 'desc')
      .limit(most)
      .execute()
  );
}

type Replayable = Pick<DeliveryRow, 'id' | 'event_position' | 'endpoint_id' | 'webhook' | 'status'>;

/** What is under way, or has arrived: of a delivery with such a replay nobody has to make another. */
export const isSentAgain = (row: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(row)}.status in ('PENDING', 'HELD', 'DELIVERED')`;

/**
 * Of each of these deliveries a later one that sent the same again: the newest that has arrived or is under way, which is what `skipReplayed` and the
 * groups of dead letters go by, else the newest. As there, one that is stored is known, also past its retention. Of a
 * test none is known, and what is under way never had one. Each is found among the deliveries of its event that no fan-out made, by itself and in the
 * parts from its own on: of a table that nothing has analyzed yet the planner would expect many of all of them.
 */
export const lastReplaysQuery = (deliveries: readonly Replayable[]): RawBuilder<LastReplay & { of: string }> => sql`
  select o.id as of, last.status, last.created_at
  from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map((d) => d.event_position)}::bigint[],
    ${deliveries.map((d) => d.endpoint_id)}::uuid[], ${deliveries.map(({ webhook }) => webhook)}::text[])
    as o (id, position, endpoint_id, webhook)
  cross join lateral (
    select later.status, later.created_at from (
      select d.id, d.status, d.created_at from webhook_deliveries d
      -- Which is the condition of an index.
      where d.event_position = o.position and left(d.id::text, 18) <> left(d.event_id::text, 18)
        and d.id > o.id and d.endpoint_id = o.endpoint_id and d.webhook = o.webhook
      offset 0
    ) as later order by ${isSentAgain('later')} desc, later.id desc limit 1
  ) as last`;

export type LastReplay = Pick<DeliveryRow, 'status' | 'created_at'>;

/** See `lastReplaysQuery`; by the id of the delivery that was replayed. */
export async function selectLastReplays(
  db: Db,
  deliveries: readonly Replayable[],
): Promise<ReadonlyMap<string, LastReplay>> {
  const asked = deliveries.filter((d) => d.status !== 'PENDING' && d.event_position !== null);
  if (asked.length === 0) return new Map();
  const { rows } = await lastReplaysQuery(asked).execute(db);
  return new Map(rows.map(({ of, ...replay }) => [of, replay]));
}

/** What a delivery sends, and to whom. */
export type Content = Pick<
  DeliveryRow,
  'event_position' | 'event_id' | 'webhook' | 'endpoint_id' | 'account_id' | 'body' | 'replay_of'
>;

/** A delivery that no fan-out made, due at `env.now`, with five fresh attempts. */
export const dueRow = (content: Content, env: Env): DeliveryRow => ({
  ...content,
  id: env.newId(),
  status: 'PENDING',
  attempts: 0,
  next_attempt_at: env.now,
  request_id: env.requestId,
  error_class: null,
  discard_reason: null,
  created_at: env.now,
  updated_at: env.now,
});

/** Deliveries that no fan-out made (replay, test), each due at its time. */
export async function insertDue(trx: Trx, ...rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tables(trx)
    .insertInto('webhook_deliveries')
    .values(rows.map((row) => ({ ...row, attempt_log: '', lease_owner: null, lease_until: null })))
    .execute();
}
