import { wasPulled } from './pulled-store.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { SLOTS, slotSql } from '../../events/index.ts';
import { rangeIfAny, rangeOfWaiting, type Waiting, within } from '../storage/waiting-store.ts';
import type { IdRange } from '../storage/weeks.ts';
import { TOO_LONG_MS, WAITS_MS } from './rules.ts';

/** The endpoints with a delivery of this status, each found by one step in the index, however long its queue is. */
const endpointsWith = (status: RawBuilder<Waiting>, range: IdRange): RawBuilder<unknown> => sql`
  waiting (endpoint_id) as (
    (select endpoint_id from webhook_deliveries where status = ${status} and ${within(range)} order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
            where d.status = ${status} and d.endpoint_id > w.endpoint_id and ${within(range)} order by d.endpoint_id limit 1)
    from waiting w where w.endpoint_id is not null
  )`;

/** Active endpoints that something is held for: they were resumed, or nothing could sign for them. */
export async function activeWithHeld(db: Db, now: Date): Promise<{ id: string; accountId: string }[]> {
  const range = await rangeIfAny(db, 'HELD', now);
  if (range === null) return [];
  const { rows } = await sql<{ id: string; accountId: string }>`
    with recursive ${endpointsWith(sql.lit('HELD'), range)}
    select e.id, e.account_id as "accountId" from waiting w join webhook_endpoints e on e.id = w.endpoint_id
    where e.status = 'ACTIVE' and e.deleted_at is null`.execute(db);
  return rows;
}

/**
 * Makes what is held for these endpoints due as long as they are active, at most `limit`, oldest first. Each is due since it
 * was made (now, where a clock went back since), so they are claimed in their order. Returns how many.
 */
export async function reviveHeld(db: Db, endpointIds: readonly string[], limit: number, now: Date): Promise<number> {
  const range = await rangeOfWaiting(db, 'HELD', now);
  const { numAffectedRows } = await sql`
    with candidates as materialized (
      select c.id from webhook_endpoints e, lateral (
        select id from webhook_deliveries d
        where d.endpoint_id = e.id and d.status = 'HELD' and ${within(range)}
          -- What was read from the feed is not sent as well; it is discarded (feed/store.ts).
          and not ${wasPulled('d')}
        order by d.id limit ${limit}
      ) c
      where e.id = any(${[...endpointIds]}::uuid[]) and e.status = 'ACTIVE' and e.deleted_at is null
      limit ${limit}
    ), portion as materialized (
      select d.id from webhook_deliveries d join candidates c on c.id = d.id
      where d.status = 'HELD' and ${within(range, sql.ref('d.id'))} for update of d skip locked
    )
    update webhook_deliveries d set status = 'PENDING', next_attempt_at = least(d.created_at, ${now}::timestamptz), updated_at = ${now}
    from portion p where d.id = p.id and ${within(range, sql.ref('d.id'))}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/**
 * Has deliveries to accounts of these slots that wait for longer than any wait is wait as long as after their last attempt, at most `limit` of them: a clock was ahead by
 * days, or years, when they were put off. By the later of this node's clock and the database's, so that one which is behind brings nothing forward. Only who
 * sends to them asks for it: by a clock that is ahead still, what another brings forward would be due at once, until no attempt was left. Returns how many.
 */
export async function bringForward(db: Db, slots: readonly number[], limit: number, now: Date): Promise<number> {
  if (slots.length === 0) return 0;
  const mine =
    slots.length === SLOTS
      ? sql``
      : sql`join webhook_endpoints e on e.id = w.endpoint_id and ${slotSql(sql.ref('e.account_id'))} = any(${[...slots]}::int[])`;
  const range = await rangeIfAny(db, 'PENDING', now);
  if (range === null) return 0;
  const isTooFar = sql`d.next_attempt_at > greatest(${now}::timestamptz, now()) + ${TOO_LONG_MS} * interval '1 millisecond'`;
  const waits = sql.join(WAITS_MS.map((ms) => sql.lit(ms)));
  const { numAffectedRows } = await sql`
    with recursive ${endpointsWith(sql.lit('PENDING'), range)},
    candidates as materialized (
      select c.id from waiting w
        ${mine} cross join lateral (
        select d.id from webhook_deliveries d
        where d.endpoint_id = w.endpoint_id and d.status = 'PENDING' and ${isTooFar} and ${within(range, sql.ref('d.id'))}
        order by d.next_attempt_at, d.id limit ${limit}
      ) c
      limit ${limit}
    ), portion as materialized (
      select d.id from webhook_deliveries d join candidates c on c.id = d.id
      where d.status = 'PENDING' and ${isTooFar} and ${within(range, sql.ref('d.id'))} for update of d skip locked
    )
    update webhook_deliveries d set updated_at = ${now},
      next_attempt_at = ${now}::timestamptz + coalesce((array[${waits}]::float8[])[d.attempts], 0) * interval '1 millisecond'
    from portion p where d.id = p.id and ${within(range, sql.ref('d.id'))}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/**
 * Ends deliveries that wait for a deleted endpoint, at most `limit` of this status; what is being sent gets its outcome
 * first. Returns how many.
 */
export async function discardOrphans(db: Db, status: Waiting, limit: number, now: Date): Promise<number> {
  const range = await rangeIfAny(db, status, now);
  if (range === null) return 0;
  const { numAffectedRows } = await sql`
    with recursive ${endpointsWith(sql.lit(status), range)},
    candidates as materialized (
      select c.id from waiting w join webhook_endpoints e on e.id = w.endpoint_id, lateral (
        select id from webhook_deliveries d
        where d.endpoint_id = e.id and d.status = ${sql.lit(status)} and (d.lease_until is null or d.lease_until < now()) and ${within(range)}
        limit ${limit}
      ) c
      where e.deleted_at is not null
      limit ${limit}
    ), portion as materialized (
      select d.id from webhook_deliveries d join candidates c on c.id = d.id
      where d.status = ${sql.lit(status)} and (d.lease_until is null or d.lease_until < now())
        and ${within(range, sql.ref('d.id'))} for update of d skip locked
    )
    update webhook_deliveries d set status = 'DISCARDED', error_class = 'ENDPOINT_DELETED', next_attempt_at = null,
      lease_owner = null, lease_until = null, updated_at = ${now}
    from portion p where d.id = p.id and ${within(range, sql.ref('d.id'))}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
