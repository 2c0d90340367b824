import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { Original } from '../deliveries/replay-delivery.ts';
import type { DeliveryFilter } from '../deliveries/list-deliveries.ts';
import { isSentAgain } from '../deliveries/store.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import { isRetained } from '../retention/store.ts';

export type JobFilter = DeliveryFilter & { status: DeliveryStatus };

/** Many deliveries to replay or to discard. */
export interface JobRow {
  id: string;
  kind: 'REPLAY' | 'DISCARD';
  state: 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';
  account_id: string | null;
  filter: JobFilter;
  reason: string | null;
  rate_per_second: number | null;
  skip_replayed: boolean;
  total: number;
  total_is_exact: boolean;
  cursor: string | null;
  done: number;
  skipped: Record<string, number>;
  next_at: Date;
  failures: number;
  error: string | null;
  request_id: string;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

type JobTables = {
  webhook_jobs: Omit<JobRow, 'filter' | 'skipped'> & { filter: string; skipped: string };
};
const tables = (db: Db | Trx) => db.withTables<JobTables>();

/** `json` comes as text or parsed, as the database's driver has it. */
const parsed = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

/** Versions before the filter by event would leave it out, and take all that the rest fits: they find nothing by this, and do nothing. */
const NO_TRADE = '';
type StoredFilter = JobFilter & { ofEvent?: JobFilter };
const storedFilter = (filter: JobFilter): StoredFilter =>
  filter.eventId === undefined ? filter : { ...filter, tradeSessionId: NO_TRADE, ofEvent: filter };
function filterOf(stored: unknown): JobFilter {
  const filter = parsed(stored) as StoredFilter;
  return filter.ofEvent ?? filter;
}

const toJob = (row: JobTables['webhook_jobs']): JobRow => ({
  ...row,
  filter: filterOf(row.filter),
  skipped: parsed(row.skipped) as Record<string, number>,
});

export async function insertJob(trx: Trx, job: JobRow): Promise<void> {
  const row = { ...job, filter: JSON.stringify(storedFilter(job.filter)), skipped: JSON.stringify(job.skipped) };
  await tables(trx).insertInto('webhook_jobs').values(row).execute();
}

/** Jobs of this account (null: of all) that are not over. */
export async function countRunning(trx: Trx, accountId: string | null): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from webhook_jobs
    where state = 'RUNNING' and account_id is not distinct from ${accountId}`.execute(trx);
  return rows[0]?.n ?? 0;
}

/** Newest first. */
export async function selectJobs(
  db: Db,
  { accounts, before, limit }: { accounts: 'all' | readonly string[]; before: string | null; limit: number },
): Promise<JobRow[]> {
  let query = tables(db).selectFrom('webhook_jobs').selectAll().orderBy('id', 'desc').limit(limit);
  if (before !== null) query = query.where('id', '<', before);
  if (accounts !== 'all') query = query.where(sql<boolean>`account_id = any(${[...accounts]}::uuid[])`);
  return (await query.execute()).map(toJob);
}

export async function selectJob(db: Db | Trx, id: string): Promise<JobRow | null> {
  const row = await tables(db).selectFrom('webhook_jobs').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** A wait that is longer than a portion ever asks for: the clock was set back. Milliseconds. */
const LONGEST_WAIT_MS = 600_000;
const isDue = (now: Date) =>
  sql<boolean>`state = 'RUNNING' and (next_at <= ${now} or next_at > ${new Date(now.getTime() + LONGEST_WAIT_MS)})`;

/** Jobs with a portion to do, those first that have waited longest. */
export async function selectDueJobs(db: Db, now: Date, limit: number): Promise<string[]> {
  const query = tables(db).selectFrom('webhook_jobs').select('id').where(isDue(now)).orderBy('next_at').limit(limit);
  return (await query.execute()).map(({ id }) => id);
}

/**
 * The job, locked until the transaction ends: this is what makes one node at a time do it. The lock of a killed process goes
 * with its connection. Null: another node is at it, or has just been.
 */
export async function takeJob(trx: Trx, id: string, now: Date): Promise<JobRow | null> {
  const row = await tables(trx)
    .selectFrom('webhook_jobs')
    .selectAll()
    .where('id', '=', id)
    .where(isDue(now))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Any constant does, as long as every version of the code uses the same. */
const SKIPPING_LOCK = 4_772_019_130;

/**
 * Whether no other portion that leaves out what was replayed is under way, and none begins before this transaction is over: of two, neither would see
 * what the other makes. One lock for all accounts, since a job may be one of all.
 */
export async function skipsAlone(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(SKIPPING_LOCK)}) as mine`.execute(trx);
  return rows[0]?.mine ?? false;
}

/** What a portion has done, with the cursor behind it. */
export async function saveProgress(trx: Trx, job: JobRow): Promise<void> {
  const { state, cursor, done, total, total_is_exact, next_at, started_at, ended_at } = job;
  const skipped = JSON.stringify(job.skipped);
  await tables(trx)
    .updateTable('webhook_jobs')
    .set({
      state,
      cursor,
      done,
      skipped,
      total,
      total_is_exact,
      next_at,
      started_at,
      ended_at,
      failures: 0,
      error: null,
    })
    .where('id', '=', job.id)
    .execute();
}

/** A portion failed: it is tried again later, and given up after so many times in a row. */
export async function noteFailure(
  db: Db,
  id: string,
  failure: { error: string; now: Date; most: number },
): Promise<void> {
  const { error, now, most } = failure;
  await sql`update webhook_jobs set failures = failures + 1, error = ${error},
      state = case when failures + 1 >= ${most}::int then 'FAILED' else state end,
      ended_at = case when failures + 1 >= ${most}::int then ${now}::timestamptz end,
      next_at = ${now}::timestamptz + interval '1 second' * power(2, failures)
    where id = ${id} and state = 'RUNNING'`.execute(db);
}

/** Ends a job between two portions; false when it was over. */
export async function cancelRunning(trx: Trx, id: string, now: Date): Promise<boolean> {
  const rows = await tables(trx)
    .updateTable('webhook_jobs')
    .set({ state: 'CANCELLED', ended_at: now })
    .where('id', '=', id)
    .where('state', '=', 'RUNNING')
    .returning('id')
    .execute();
  return rows.length === 1;
}

/** Removes at most so many jobs that were over before; how many. */
export async function deleteEnded(db: Db, before: Date, portion: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_jobs where id = any(array(
      select id from webhook_jobs where state <> 'RUNNING' and ended_at < ${before} limit ${portion}))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Which of these endpoints are deleted, or gone. */
export async function deletedAmong(trx: Trx, endpointIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select w.id from unnest(${[...endpointIds]}::uuid[]) as w (id)
    where not exists (select from webhook_endpoints e where e.id = w.id and e.deleted_at is null)`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** Whether the endpoint is or was one of the account (null: of any). */
export async function hasHadEndpoint(trx: Trx, endpointId: string, accountId: string | null): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`select exists (select from webhook_endpoints
    where id = ${endpointId} and account_id = coalesce(${accountId}::uuid, account_id)) as known`.execute(trx);
  return rows[0]?.known ?? false;
}

/** A delivery of a portion, as it is now. */
export interface Item extends Original {
  status: DeliveryStatus;
  /** Its endpoint is deleted. */
  isOrphan: boolean;
  /** It is past its retention: nobody sees it any more. */
  isHidden: boolean;
  /** A later delivery of its event and webhook to its endpoint has arrived or is under way: a replay of it, or of what it is a replay of. Also past its retention, as long as it is stored. */
  isReplayed: boolean;
}

/** How many of these deliveries have the status now. */
export async function countWith(trx: Trx, ids: readonly string[], status: DeliveryStatus): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from webhook_deliveries
    where id = any(${[...ids]}::uuid[]) and status = ${status}`.execute(trx);
  return rows[0]?.n ?? 0;
}

/** The deliveries of a portion in their order. What is ended is asked for its status again when it is. */
export async function selectItems(trx: Trx, ids: readonly string[], retentionDays: number): Promise<Item[]> {
  const { rows } = await sql<Item>`
    select d.id, d.event_position, d.event_id, d.webhook, d.endpoint_id, d.account_id, d.body, d.status,
      not exists (select from webhook_endpoints e where e.id = d.endpoint_id and e.deleted_at is null) as "isOrphan",
      not ${isRetained(retentionDays)} as "isHidden",
      exists (select from webhook_deliveries r where r.event_position = d.event_position and r.event_position is not null
        -- Which is the condition of an index.
        and left(r.id::text, 18) <> left(r.event_id::text, 18)
        and r.endpoint_id = d.endpoint_id and r.webhook = d.webhook and (r.replay_of = d.id or r.id > d.id)
        and ${isSentAgain('r')}) as "isReplayed"
    from webhook_deliveries d where d.id = any(${[...ids]}::uuid[]) order by d.id`.execute(trx);
  return rows;
}
