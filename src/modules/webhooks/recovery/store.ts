import { wasPulled } from '../engine/pulled-store.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Db, times, tokens, type Trx } from '../../../platform/db/index.ts';
import { MOST_AHEAD_MS } from '../endpoints/rules.ts';
import type { EndpointKind } from '../endpoints/schemas.ts';
import { rangeOfWaiting, within } from '../storage/waiting-store.ts';
import { type DisabledFor, TOO_LONG_MS } from './rules.ts';

/** The endpoint of which something is said, as it was known. */
export interface Known {
  id: string;
  url: string;
  version: number;
}

/** What a change is written under. */
interface Change {
  version: number;
  now: Date;
}

/** An endpoint that was changed. */
export interface Changed {
  id: string;
  accountId: string;
  kind: EndpointKind;
  url: string;
  failingSince: Date | null;
}

const CLOSED = sql`disabled_for = null, disabled_at = null, probe_at = null, probe_id = null, probe_asked = false, probes = 0`;

/** As `changedAt`. */
const later = (now: Date): RawBuilder<Date> =>
  sql`case when updated_at > ${now} and updated_at < ${new Date(now.getTime() + MOST_AHEAD_MS)} then updated_at else ${now} end`;

async function update(
  trx: Trx,
  { id }: Pick<Known, 'id'>,
  { version, now }: Change,
  set: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): Promise<Changed | null> {
  const { rows } = await sql<Changed>`
    update webhook_endpoints set ${set}, version = ${version}, updated_at = ${later(now)}
    where id = ${id} and deleted_at is null and ${where}
    returning id, account_id as "accountId", kind, url, failing_since as "failingSince"`.execute(trx);
  return rows[0] ?? null;
}

/** Since when each of these fails, unless they were changed since they were known so. */
export async function markFailing(
  trx: Trx,
  endpoints: readonly (Known & { since: number })[],
  version: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_endpoints e set failing_since = f.since, version = ${version}
    from unnest(${tokens(endpoints.map((e) => e.id))}::text::uuid[], ${tokens(endpoints.map((e) => e.version))}::text::bigint[],
      ${times(endpoints.map((e) => e.since))}::text::timestamptz[]) as f (id, version, since)
    where e.id = f.id and e.version = f.version and e.failing_since is null and e.status <> 'DISABLED'
      and e.deleted_at is null`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

/** It succeeded. */
export const clearFailing = (trx: Trx, endpoint: Known, change: Change): Promise<Changed | null> =>
  update(trx, endpoint, change, sql`failing_since = null`, sql`failing_since is not null and url = ${endpoint.url}`);

/**
 * Disables an endpoint unless somebody was faster. A 410 also disables one that is paused: a replay may have been answered so.
 * It counts for the address that gave it, whatever else was changed meanwhile, but not once the endpoint was opened again.
 */
export const disable = (
  trx: Trx,
  endpoint: Known & { openedAt: number | null },
  change: Change,
  why: { disabledFor: DisabledFor; reason: string; probeAt: Date | null },
): Promise<Changed | null> =>
  update(
    trx,
    endpoint,
    change,
    sql`status = 'DISABLED', status_reason = ${why.reason}, disabled_for = ${why.disabledFor}, disabled_at = ${change.now},
      probe_at = ${why.probeAt}, probe_id = null, probe_asked = false, probes = 0`,
    why.disabledFor === 'GONE'
      ? sql`url = ${endpoint.url} and status in ('ACTIVE', 'PAUSED')
          and opened_at is not distinct from ${endpoint.openedAt === null ? null : new Date(endpoint.openedAt)}::timestamptz`
      : sql`url = ${endpoint.url} and status = 'ACTIVE' and failing_since is not null`,
  );

/** Opens a disabled endpoint whose probe arrived. */
export const open = (trx: Trx, endpoint: Known, change: Change, probeId: string): Promise<Changed | null> =>
  update(
    trx,
    endpoint,
    change,
    sql`status = 'ACTIVE', status_reason = null, failing_since = null, opened_at = ${change.now}, ${CLOSED}`,
    sql`status = 'DISABLED' and probe_id = ${probeId} and url = ${endpoint.url}`,
  );

/** Ends a probe that did not arrive; the next one is at `probeAt`. */
export const endProbe = (
  trx: Trx,
  endpoint: Known,
  change: Change,
  ended: { probeId: string; probeAt: Date | null; failed: boolean; gone: string | null },
): Promise<Changed | null> =>
  update(
    trx,
    endpoint,
    change,
    sql`probe_id = null, probe_asked = false, probe_at = ${ended.probeAt}, probes = probes + ${ended.failed ? 1 : 0}${
      ended.gone === null ? sql`` : sql`, disabled_for = 'GONE', status_reason = ${ended.gone}`
    }`,
    sql`status = 'DISABLED' and probe_id = ${ended.probeId}`,
  );

export interface DueProbe {
  id: string;
  deliveryId: string;
}

/** Held deliveries that are looked at for one with attempts to spare, from either end. */
const LOOKED_AT = 1000;

/**
 * Disabled endpoints whose probe is due, each with the delivery to send: the oldest that is held, has an attempt to spare and did not fail
 * by a fault of ours.
 * Where the oldest have none, which were tried while the endpoint failed, it is one of the newest. Those without one wait for it.
 */
export async function selectDueProbes(
  db: Db,
  options: { now: Date; attempts: number; attemptsIfAsked: number; limit: number },
): Promise<DueProbe[]> {
  const range = await rangeOfWaiting(db, 'HELD', options.now);
  const lookFrom = (end: 'asc' | 'desc'): RawBuilder<unknown> => sql`
    select d.id from (
      select d.id, d.attempts, d.faults from webhook_deliveries d
      where d.endpoint_id = e.id and d.status = 'HELD' and ${within(range, sql.ref('d.id'))}
        -- What was read from the feed is not sent as well.
        and not ${wasPulled('d')}
      order by d.id ${sql.raw(end)} limit ${LOOKED_AT}
    ) as d
    where d.attempts <= case when e.probe_asked then ${options.attemptsIfAsked}::integer else ${options.attempts}::integer end
    order by d.faults > 0, d.id limit 1`;
  const { rows } = await sql<DueProbe>`
    select e.id, coalesce(oldest.id, newest.id) as "deliveryId" from webhook_endpoints e
    left join lateral (${lookFrom('asc')}) as oldest on true
    left join lateral (select d.id from (${lookFrom('desc')}) as d where oldest.id is null) as newest on true
    where e.status = 'DISABLED' and e.deleted_at is null and e.probe_id is null
      -- By the later of both clocks: one that is behind brings nothing forward.
      and (e.probe_at <= ${options.now} or e.probe_at > greatest(${options.now}::timestamptz, now()) + ${TOO_LONG_MS} * interval '1 millisecond')
      and coalesce(oldest.id, newest.id) is not null
    order by e.probe_at limit ${options.limit}`.execute(db);
  return rows;
}

/** Makes the held delivery due and says that it is the probe; false, and nothing is changed, when either is not so any more. */
export async function beginProbe(trx: Trx, { id, deliveryId }: DueProbe, { version, now }: Change): Promise<boolean> {
  const { rows } = await sql`
    with probe as (
      update webhook_deliveries set status = 'PENDING', next_attempt_at = ${now}, updated_at = ${now}
      where id = ${deliveryId} and status = 'HELD' and exists (
        select from webhook_endpoints where id = ${id} and status = 'DISABLED' and deleted_at is null and probe_id is null)
      returning id
    )
    update webhook_endpoints set probe_id = ${deliveryId}, version = ${version}
    where id = ${id} and exists (select from probe) returning id`.execute(trx);
  return rows.length === 1;
}

/** So many faults of ours in a row, which take three minutes, say nothing of the endpoint: another delivery is its probe. */
const PROBE_FAULTS = 3;

/** Probes that nobody sends any more, since their delivery has ended some other way, or was put off again because it cannot be sent. */
export async function selectLostProbes(
  db: Db | Trx,
  now: Date,
): Promise<{ id: string; url: string; version: number; probeId: string }[]> {
  const { rows } = await sql<{ id: string; url: string; version: number; probeId: string }>`
    select id, url, version, probe_id as "probeId" from webhook_endpoints e
    where status = 'DISABLED' and deleted_at is null and probe_id is not null
      and not exists (select from webhook_deliveries where id = e.probe_id and status = 'PENDING'
        and (faults < ${PROBE_FAULTS} or lease_until > now() or next_attempt_at <= ${now}))`.execute(db);
  return rows;
}

/** Whether something is held for the endpoint that was not read from its feed. */
export async function hasHeld(trx: Trx, endpointId: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (select from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where d.endpoint_id = ${endpointId} and d.status = 'HELD'
        and not ${wasPulled('d')}) as held`.execute(trx);
  return rows[0]?.held === true;
}
