import { sql } from 'kysely';
import { type Db, texts, times, tokens } from '../../../platform/db/index.ts';

/** Attempts at an endpoint within one bucket, as one node has counted them. */
export interface CountsRow {
  endpointId: string;
  /** Start of the bucket. Milliseconds since the epoch. */
  bucket: number;
  attempts: number;
  failures: number;
  durations: readonly number[];
}

export interface LastRow {
  endpointId: string;
  /** Milliseconds since the epoch. */
  successAt: number | null;
  failureAt: number | null;
  failureClass: string | null;
  failureStatus: number | null;
}

/** Writes what this node has counted, in full: the same again changes nothing. */
export async function saveCounts(db: Db, writer: string, rows: readonly CountsRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into webhook_endpoint_counts (endpoint_id, bucket, writer, attempts, failures, durations)
    select r.id, r.bucket, ${writer}, r.attempts, r.failures, r.durations::integer[] from unnest(
      ${tokens(rows.map((r) => r.endpointId))}::text::uuid[], ${times(rows.map((r) => r.bucket))}::text::timestamptz[],
      ${tokens(rows.map((r) => r.attempts))}::text::integer[], ${tokens(rows.map((r) => r.failures))}::text::integer[],
      ${texts(rows.map((r) => `{${r.durations.join(',')}}`))}::text::text[]
    ) as r (id, bucket, attempts, failures, durations)
    on conflict (endpoint_id, bucket, writer) do update set attempts = excluded.attempts,
      failures = excluded.failures, durations = excluded.durations`.execute(db);
}

/** Writes what came back last; what is stored of a later time stays. */
export async function saveLast(db: Db, rows: readonly LastRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into webhook_endpoint_health as h (endpoint_id, last_success_at, last_failure_at, last_failure_class,
      last_failure_status)
    select * from unnest(
      ${tokens(rows.map((r) => r.endpointId))}::text::uuid[], ${times(rows.map((r) => r.successAt))}::text::timestamptz[],
      ${times(rows.map((r) => r.failureAt))}::text::timestamptz[], ${tokens(rows.map((r) => r.failureClass))}::text::text[],
      ${tokens(rows.map((r) => r.failureStatus))}::text::integer[])
    on conflict (endpoint_id) do update set
      last_success_at = greatest(h.last_success_at, excluded.last_success_at),
      last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at),
      (last_failure_class, last_failure_status) = (select
        case when x.newer then excluded.last_failure_class else h.last_failure_class end,
        case when x.newer then excluded.last_failure_status else h.last_failure_status end
        from (select excluded.last_failure_at >= coalesce(h.last_failure_at, '-infinity') as newer) as x)`.execute(db);
}

/** Removes counts that nobody asks for any more. */
export async function removeCounts(db: Db, before: Date): Promise<void> {
  await sql`delete from webhook_endpoint_counts where bucket < ${before}`.execute(db);
}

/** What is stored of an endpoint's last attempts. */
export async function selectLast(db: Db, endpointId: string): Promise<LastStored | null> {
  const { rows } = await sql<LastStored>`
    select last_success_at, last_failure_at, last_failure_class, last_failure_status
    from webhook_endpoint_health where endpoint_id = ${endpointId}`.execute(db);
  return rows[0] ?? null;
}

export interface LastStored {
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure_class: string | null;
  last_failure_status: number | null;
}

/** Attempts at an endpoint from this bucket on. */
export async function selectCounts(
  db: Db,
  endpointId: string,
  from: Date,
): Promise<{ bucket: Date; attempts: number; failures: number; durations: number[] }[]> {
  const { rows } = await sql<{ bucket: Date; attempts: number; failures: number; durations: number[] }>`
    select bucket, attempts, failures, durations from webhook_endpoint_counts
    where endpoint_id = ${endpointId} and bucket >= ${from}`.execute(db);
  return rows;
}

/** Statuses of deliveries that are counted, each by an index that holds nothing else. */
export type Waiting = 'PENDING' | 'HELD' | 'DEAD';

/** How many deliveries of an endpoint have this status; it stops counting at `most`. */
export const countOf = (endpointId: string, status: Waiting, most: number) => sql<{ n: number }>`
  select count(*)::integer as n from (
    select from webhook_deliveries where endpoint_id = ${endpointId} and status = ${sql.lit(status)}
    -- By the order of the index: else a bitmap of all that there is would be made before the first is counted.
    order by ${sql.raw(status === 'PENDING' ? 'next_attempt_at, id' : 'id')} limit ${most}
  ) as found`;

/** The delivery that is, or will be, due first. */
export const oldestOf = (endpointId: string) => sql<{ created_at: Date; next_attempt_at: Date }>`
  select created_at, next_attempt_at from webhook_deliveries
  where endpoint_id = ${endpointId} and status = 'PENDING' order by next_attempt_at, id limit 1`;

/** `countOf` for each status, and `oldestOf`. */
export async function selectWaiting(
  db: Db,
  endpointId: string,
  most: number,
): Promise<Record<Waiting, number> & { oldest: { created_at: Date; next_attempt_at: Date } | null }> {
  const count = async (status: Waiting): Promise<number> =>
    (await countOf(endpointId, status, most).execute(db)).rows[0]?.n ?? 0;
  return {
    PENDING: await count('PENDING'),
    HELD: await count('HELD'),
    DEAD: await count('DEAD'),
    oldest: (await oldestOf(endpointId).execute(db)).rows[0] ?? null,
  };
}
