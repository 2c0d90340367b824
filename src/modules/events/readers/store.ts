import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { READER_LEASE_MS, READS } from '../reader-store.ts';
import type { LoggedEvent } from '../types.ts';

/**
 * A reader may rest for longer than its lease: the sealer does, between its steps. Without this it would be told as stopped
 * half of the time. Milliseconds.
 */
const REST_MS = 10_000;

/**
 * Moves the cursor from where it was when this node last looked, and renews the lease. False when another node has taken
 * over, or when it was set back: nothing may be written then.
 */
export async function moveCursor(
  db: Db | Trx,
  { name, owner, from, to, now }: { name: string; owner: string; from: number; to: number; now: Date },
): Promise<boolean> {
  const { rows } = await sql`/*named:move-cursor*/
    update event_readers set position = ${to}, updated_at = ${now},
      lease_until = now() + ${READER_LEASE_MS} * interval '1 millisecond'
    where name = ${name} and lease_owner = ${owner} and position = ${from} returning name`.execute(db);
  return rows.length === 1;
}

/** The readers of which another node has the lease, parts aside. */
export async function selectTaken(db: Db, nodeId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`/*named:taken-readers*/
    select name from event_readers where part_of is null and lease_owner <> ${nodeId} and lease_until >= now()`.execute(
    db,
  );
  return new Set(rows.map((row) => row.name));
}

/** Sets a reader back to the start of the log; false when there is none of this name. */
export async function rewind(trx: Trx, name: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update event_readers set position = 0, updated_at = ${now} where name = ${name} returning name`.execute(trx);
  await sql`delete from event_failures where reader = ${name}`.execute(trx);
  return rows.length === 1;
}

export interface ReaderRow {
  name: string;
  position: number;
  /** Whether some node has its lease, or had it within REST_MS and has not given it up. */
  active: boolean;
  updatedAt: Date;
  retrying: number;
  setAside: number;
}

/**
 * For how long the first event that a reader has not handled yet has been in the log, by the database's clock; 0: it has handled all. Of one
 * in parts that of the last of them. Those that nobody has run for a month are of an earlier version and left out. Seconds.
 */
export async function selectWaits(db: Db): Promise<{ name: string; seconds: number }[]> {
  const { rows } = await sql<{ name: string; seconds: number }>`
    with readers as (
      select coalesce(part_of, name) as name, min(position) as position from event_readers where ${READS} group by 1
      having max(updated_at) > now() - interval '1 month'
    )
    select r.name, coalesce(greatest(0, extract(epoch from now() - e.recorded_at)), 0)::float8 as seconds
    from readers r left join lateral (
      select recorded_at from events where position > r.position order by position limit 1
    ) e on true`.execute(db);
  return rows;
}

/** Every reader that ever ran, by name. One in parts is as far as the last of them, and active when all are. */
export async function selectReaders(db: Db): Promise<ReaderRow[]> {
  const { rows } = await sql<ReaderRow>`
    with readers as (
      select coalesce(part_of, name) as name, min(position) as position,
        bool_and(coalesce(lease_until > now() - ${REST_MS} * interval '1 millisecond', false)) as active,
        min(updated_at) as updated_at
      from event_readers where ${READS} group by 1
    )
    select r.name, r.position, r.active, r.updated_at as "updatedAt",
      (select count(*)::integer from event_failures f where f.reader = r.name and f.next_attempt_at is not null) as retrying,
      (select count(*)::integer from event_failures f where f.reader = r.name and f.next_attempt_at is null) as "setAside"
    from readers r order by r.name`.execute(db);
  return rows;
}

export interface FailureRow {
  position: number;
  eventId: string;
  event: string;
  error: string;
  attempts: number;
  firstFailedAt: Date;
  lastFailedAt: Date;
  nextAttemptAt: Date | null;
}

const FAILURE = sql`position, event_id as "eventId", event, error, attempts, first_failed_at as "firstFailedAt",
  last_failed_at as "lastFailedAt", next_attempt_at as "nextAttemptAt"`;

/** Failures of a reader behind a position, in the order of the log. */
export async function selectFailures(
  db: Db,
  reader: string,
  { after, limit }: { after: number; limit: number },
): Promise<FailureRow[]> {
  const { rows } = await sql<FailureRow>`
    select ${FAILURE} from event_failures where reader = ${reader} and position > ${after}
    order by position limit ${limit}`.execute(db);
  return rows;
}

/** Those that are to be tried again now, in the order of the log. */
export async function selectDueFailures(db: Db, reader: string, now: Date, limit: number): Promise<FailureRow[]> {
  const { rows } = await sql<FailureRow>`
    select ${FAILURE} from event_failures where reader = ${reader} and next_attempt_at <= ${now}
    order by position limit ${limit}`.execute(db);
  return rows;
}

/** Keeps that an event failed, once more or for the first time. */
export async function saveFailure(
  trx: Trx,
  reader: string,
  event: Pick<LoggedEvent, 'position' | 'id' | 'event'>,
  failure: { error: string; attempts: number; now: Date; nextAttemptAt: Date | null },
): Promise<void> {
  const { error, attempts, now, nextAttemptAt } = failure;
  await sql`
    insert into event_failures (reader, position, event_id, event, error, attempts, first_failed_at, last_failed_at, next_attempt_at)
    values (${reader}, ${event.position}, ${event.id}, ${event.event}, ${error}, ${attempts}, ${now}, ${now}, ${nextAttemptAt})
    on conflict (reader, position) do update set error = excluded.error, attempts = excluded.attempts,
      last_failed_at = excluded.last_failed_at, next_attempt_at = excluded.next_attempt_at`.execute(trx);
}

export async function deleteFailure(trx: Trx, reader: string, position: number): Promise<void> {
  await sql`delete from event_failures where reader = ${reader} and position = ${position}`.execute(trx);
}

/** Has a failure tried again now, and as often as a new one; false when there is none of this event. */
export async function makeDue(trx: Trx, reader: string, eventId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update event_failures set next_attempt_at = ${now}, attempts = 0 where reader = ${reader} and event_id = ${eventId}
    returning position`.execute(trx);
  return rows.length > 0;
}
