import { type RawBuilder, sql } from 'kysely';
import type { WebhookName } from '../../../contracts/events/index.ts';
import { columns, type Db, tokens, uniqueViolation } from '../../../platform/db/index.ts';
import {
  advancePartsSql,
  advanceSql,
  holderOfPartsSql,
  holderSql,
  type Part,
  SLOTS,
  slotSql,
  slotsOf,
} from '../../events/index.ts';
import { rangeIfAny, within } from '../storage/waiting-store.ts';
import { idRangeOf } from './delivery-id.ts';
import { WITHOUT_ATTEMPT } from './rules.ts';
import type { AttemptRecord, Result } from './types.ts';

/** One line of `attempt_log`; nothing when no attempt was made. */
const logOf = (r: Result): string => (r.log === null ? '' : `${r.log}\n`);

/** The attempts of a delivery, in order, from the text that is stored. */
export const readAttemptLog = (log: string): AttemptRecord[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AttemptRecord);

/** Delivered by its first attempt. */
const isUsual = (r: Result): boolean => r.status === 'DELIVERED' && r.attempts === 1;

/** First outcomes of one part of the fan-out, and where its cursor may be once they are written. */
export interface Advance {
  /** Name of the part. */
  name: string;
  cursor: number;
  results: readonly Result[];
}

/**
 * Writes deliveries with their first outcome, and moves the cursors of the parts that they are of, in one statement: of each part
 * either the lease still holds and both happen, or another node has taken over and neither does. A row that exists is left as
 * it is. Returns the names of the parts that are still held.
 */
export async function insertResults(
  db: Db,
  advances: readonly Advance[],
  { owner, now }: { owner: string; now: Date },
): Promise<ReadonlySet<string>> {
  const [first, ...others] = advances;
  if (!first) return new Set();
  if (others.length === 0) {
    const moved = await insertBehind(db, first.results, advanceSql(first.name, owner, first.cursor, now));
    return new Set(moved ? [first.name] : []);
  }
  const moves = advances.map(({ name, cursor }) => ({ name, position: cursor }));
  const all = advances.flatMap(({ results }, i) => results.map((result) => ({ result, part: i + 1 })));
  // Nearly all rows say the same in four columns, so the others come first and only theirs are sent.
  const unusual = all.filter((r) => !isUsual(r.result));
  const sorted = unusual.length === 0 ? all : [...unusual, ...all.filter((r) => isUsual(r.result))];
  const results = sorted.map((r) => r.result);
  const { rows } = await writtenOnce('insert-deliveries-of-parts', (head, onConflict) =>
    sql<{ n: number }>`${head}
    with cursor as (${advancePartsSql(owner, moves, now)}),
    written as (
      ${intoDeliveries}
      from (select ${columnsOf(results, unusual.length)}, ${columns(sorted, { part: ['int4', (r) => r.part] })}) as r
      where r.part in (select n from cursor)
      ${onConflict}
    )
    select n from cursor`.execute(db),
  );
  return new Set(rows.map(({ n }) => (advances[n - 1] as Advance).name));
}

const intoDeliveries = sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
        next_attempt_at, request_id, error_class, attempt_log, created_at, updated_at, faults)
      select r.id, r.event_position, r.event_id, r.webhook, r.endpoint_id, r.account_id,
        coalesce(r.status, 'DELIVERED'), coalesce(r.attempts, 1::smallint), r.next_attempt_at, r.request_id, r.error_class, r.log, r.created_at, r.updated_at,
        (r.error_class is not distinct from 'INTERNAL')::int`;

/** The columns of these results, of which the first so many are unusual: the others say nothing in four columns. */
const columnsOf = (results: readonly Result[], unusual: number): RawBuilder<unknown> =>
  sql`${columns(results, {
    id: ['uuid', (r) => r.ticket.deliveryId],
    event_position: ['int8', (r) => r.ticket.eventPosition],
    event_id: ['uuid', (r) => r.ticket.eventId],
    webhook: ['text', (r) => r.ticket.webhook],
    endpoint_id: ['uuid', (r) => r.ticket.endpoint.id],
    account_id: ['uuid', (r) => r.ticket.endpoint.accountId],
    request_id: ['text', (r) => r.ticket.requestId],
    log: ['text', logOf],
    created_at: ['timestamptz', (r) => r.ticket.createdAt],
    updated_at: ['timestamptz', (r) => r.at],
  })}, ${columns(results.slice(0, unusual), {
    status: ['text', (r) => r.status],
    attempts: ['int2', (r) => r.attempts],
    next_attempt_at: ['timestamptz', (r) => r.nextAttemptAt],
    error_class: ['text', (r) => r.errorClass],
  })}`;

/**
 * Writes rows of which none is there yet, and leaves those alone that are. There are some only after a crash or a take-over, and to look
 * for each first costs more than a quarter of the statement (measured): so it is written as if there were none, and with the look when that fails.
 * `name`: of the statement (platform/db/pool.ts); `write` makes it of its head and of what is to be done about such rows.
 */
async function writtenOnce<T>(
  name: string,
  write: (head: RawBuilder<unknown>, onConflict: RawBuilder<unknown>) => Promise<T>,
): Promise<T> {
  try {
    return await write(sql.raw(`/*named:${name}*/`), sql``);
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
    return write(sql.raw(`/*named:${name}-again*/`), sql`on conflict (id) do nothing`);
  }
}

/** The same for one part, whose cursor `advance` moves; whether it did. */
async function insertBehind(db: Db, all: readonly Result[], advance: RawBuilder<unknown>): Promise<boolean> {
  const unusual = all.filter((r) => !isUsual(r));
  const results = unusual.length === 0 ? all : [...unusual, ...all.filter(isUsual)];
  const { rows } = await writtenOnce('insert-deliveries', (head, onConflict) =>
    sql<{ moved: boolean }>`${head}
    with cursor as (${advance}),
    written as (
      ${intoDeliveries}
      from (select ${columnsOf(results, unusual.length)}) as r
      where exists (select from cursor)
      ${onConflict}
    )
    select exists (select from cursor) as moved`.execute(db),
  );
  return rows[0]?.moved === true;
}

/** From the first of these ids to the last: parts of the table in which none of them can be are left out of the plan. */
function span(ids: readonly string[]): RawBuilder<boolean> {
  const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1));
  return sql<boolean>`d.id between ${sorted[0]}::uuid and ${sorted.at(-1)}::uuid`;
}

/** They are over once the delivery is put off for another reason, unlike what its last attempt failed with. */
const PASSING = sql.raw(WITHOUT_ATTEMPT.map((name) => `'${name}'`).join(', '));

/** Writes the outcomes of claimed deliveries. One whose lease has gone to somebody else meanwhile is left alone. */
export async function updateResults(db: Db, owner: string, results: readonly Result[]): Promise<void> {
  const ids = results.map((r) => r.ticket.deliveryId);
  await sql`
    update webhook_deliveries d set status = r.status, attempts = r.attempts, next_attempt_at = r.next_attempt_at,
      error_class = case when r.log = '' and coalesce(r.error_class, 'SHUTDOWN') = 'SHUTDOWN' and d.error_class not in (${PASSING})
        then d.error_class else r.error_class end,
      attempt_log = d.attempt_log || r.log, lease_owner = null, lease_until = null, updated_at = r.updated_at,
      faults = case when r.error_class = 'INTERNAL' then d.faults + 1 when r.log = '' then d.faults else 0 end
    from (
      select ${columns(results, {
        id: ['uuid', (r) => r.ticket.deliveryId],
        lease_until: ['text', (r) => r.ticket.lease?.until ?? null],
        status: ['text', (r) => r.status],
        attempts: ['int2', (r) => r.attempts],
        next_attempt_at: ['timestamptz', (r) => r.nextAttemptAt],
        error_class: ['text', (r) => r.errorClass],
        log: ['text', logOf],
        updated_at: ['timestamptz', (r) => r.at],
      })}
    ) as r
    where d.id = r.id and d.lease_owner = ${owner} and d.lease_until = r.lease_until::timestamptz and ${span(ids)}`.execute(
    db,
  );
}

export interface ClaimedRow {
  id: string;
  event_position: number | null;
  event_id: string;
  webhook: WebhookName;
  endpoint_id: string;
  attempts: number;
  is_replay: boolean;
  request_id: string;
  body: string | null;
  lease_until: string;
  created_at: Date;
  faults: number;
}

export interface ClaimOptions {
  /** The parts of the fan-out whose holder may claim what is of their accounts, and who claims. */
  parts: readonly Part[];
  owner: string;
  now: Date;
  leaseMs: number;
  limit: number;
  /** Most rows of an endpoint. */
  perEndpoint: number;
  /** Most rows of these endpoints instead. */
  limits: ReadonlyMap<string, number>;
}

/**
 * Nobody holds it for `owner`: a lease of another node is void, since only the holder of the reader sends, and the one
 * before has none any more (docs/adr/0022).
 */
const free = (owner: string): RawBuilder<unknown> =>
  sql`(d.lease_until is null or d.lease_until < now() or d.lease_owner <> ${owner})`;

/**
 * Takes due deliveries for this process until the lease ends, oldest first; nothing when none waits, or when it is not the holder of the reader
 * (any more). The lease runs on the database's clock, the schedule on the caller's.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<ClaimedRow[] | null> {
  const { limits, perEndpoint, owner, parts } = options;
  const isWhole = parts.length === 1 && parts[0]?.parts === 1;
  const names = parts.map((p) => p.name);
  const holder = isWhole ? holderSql(String(names[0]), owner) : holderOfPartsSql(names, owner);
  // Of all of them or nothing: where one was lost, this node hears of it within a second and asks for the others.
  const isHolder = isWhole
    ? sql`exists (select from holder)`
    : sql`(select count(*) from holder) = ${names.length}::int`;
  const slots = slotsOf(parts);
  const mine =
    slots.length === SLOTS
      ? sql``
      : sql`join webhook_endpoints e on e.id = w.endpoint_id and ${slotSql(sql.ref('e.account_id'))} = any(${slots}::int[])`;
  const range = await rangeIfAny(db, 'PENDING', options.now);
  // To plan the statement takes longer than all else of a look that finds nothing.
  if (range === null) return null;
  const inRange = within(range, sql.ref('d.id'));
  const isDue = sql`d.status = 'PENDING' and d.next_attempt_at <= ${options.now} and ${free(owner)}
    and ${inRange}`;
  const { rows } = await sql<ClaimedRow>`
    with recursive holder as materialized (${holder}), waiting (endpoint_id) as (
      -- The endpoints with something PENDING, each found by one step in the index, however long its queue is.
      (select endpoint_id from webhook_deliveries d where status = 'PENDING' and ${inRange} order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d
              where d.status = 'PENDING' and d.endpoint_id > w.endpoint_id and ${inRange} order by d.endpoint_id limit 1)
      from waiting w where w.endpoint_id is not null
    ), wanted (endpoint_id, most) as (
      select w.endpoint_id, coalesce(l.most, ${perEndpoint}::int)
      from waiting w ${mine} left join unnest(${[...limits.keys()]}::uuid[], ${[...limits.values()]}::int[]) as l (id, most) on l.id = w.endpoint_id
      where w.endpoint_id is not null
    ), heads as materialized (
      -- What each has that was due first. No more are needed of those that are not among the first ones.
      select w.endpoint_id, w.most, h.next_attempt_at from wanted w, lateral (
        select d.next_attempt_at from webhook_deliveries d where d.endpoint_id = w.endpoint_id and ${isDue}
        order by d.next_attempt_at, d.id limit 1
      ) h
      where w.most > 0
      order by h.next_attempt_at limit ${options.limit}
    ), candidates as materialized (
      select c.id from heads w, lateral (
        select d.id, d.next_attempt_at from webhook_deliveries d where d.endpoint_id = w.endpoint_id and ${isDue}
        -- Twice its share: what is due in many endpoints is not read in all of them to the full.
        order by d.next_attempt_at, d.id limit least(w.most, greatest(1, 2 * ${options.limit}::int / (select count(*) from heads)))
      ) c
      order by c.next_attempt_at limit ${options.limit}
    ), due as materialized (
      select d.id from webhook_deliveries d join candidates c on c.id = d.id
      where d.status = 'PENDING' and ${free(owner)} and ${isHolder} and ${inRange}
      for update of d skip locked
    )
    update webhook_deliveries d set lease_owner = ${owner},
      lease_until = date_trunc('milliseconds', now() + ${options.leaseMs} * interval '1 millisecond')
    from due where d.id = due.id and ${inRange}
    returning d.id, d.event_position, d.event_id, d.webhook, d.endpoint_id, d.attempts, d.replay_of is not null as is_replay,
      d.request_id, d.body, d.lease_until::text as lease_until, d.created_at, d.faults`.execute(db);
  return rows;
}

/** Which of these endpoints have something due. */
export async function withDue(db: Db, owner: string, endpointIds: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select e.id from unnest(${[...endpointIds]}::uuid[]) as e (id), lateral (
      select from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'PENDING' and d.next_attempt_at <= ${now}
        and ${free(owner)} limit 1) found`.execute(db);
  return rows.map(({ id }) => id);
}

/** Gives back what was claimed and not taken on. */
export async function releaseClaimed(db: Db, owner: string, ids: readonly string[]): Promise<void> {
  await sql`update webhook_deliveries set lease_owner = null, lease_until = null
    where id = any(${[...ids]}::uuid[]) and lease_owner = ${owner} and status = 'PENDING'`.execute(db);
}

/** Puts off claimed deliveries that our own code fails on, each by so many milliseconds. It costs them no attempt. */
export async function postponeClaimed(
  db: Db,
  owner: string,
  faults: readonly { id: string; waitMs: number }[],
  now: Date,
): Promise<void> {
  await sql`
    update webhook_deliveries d set error_class = 'INTERNAL', lease_owner = null, lease_until = null, updated_at = ${now},
      faults = d.faults + 1, next_attempt_at = ${now}::timestamptz + f.wait_ms * interval '1 millisecond'
    from unnest(${faults.map((f) => f.id)}::uuid[], ${faults.map((f) => f.waitMs)}::float8[]) as f (id, wait_ms)
    where d.id = f.id and d.lease_owner = ${owner} and d.status = 'PENDING'`.execute(db);
}

/** Makes dead letters of claimed deliveries on which our own code fails; returns those that it has made so. */
export async function buryClaimed(db: Db, owner: string, ids: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await sql<{
    id: string;
  }>`update webhook_deliveries set status = 'DEAD', error_class = 'INTERNAL', next_attempt_at = null,
      lease_owner = null, lease_until = null, updated_at = ${now}
    where id = any(${ids}::uuid[]) and lease_owner = ${owner} and status = 'PENDING' returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Ends claimed deliveries whose endpoint is deleted. */
export async function discardClaimed(db: Db, owner: string, ids: readonly string[], now: Date): Promise<void> {
  await sql`update webhook_deliveries set status = 'DISCARDED', error_class = 'ENDPOINT_DELETED', next_attempt_at = null,
      lease_owner = null, lease_until = null, updated_at = ${now}
    where id = any(${ids}::uuid[]) and lease_owner = ${owner} and status = 'PENDING'`.execute(db);
}

/** Of an event that may have been fanned out before. */
export type EventRef = { position: number; id: string };

/** What `existingDeliveries` names a delivery of an event by. */
export const keyOf = (endpointId: string, webhook: string): string => `${endpointId} ${webhook}`;

/**
 * Rows whose id does not begin as their event's: replays, and first deliveries from before ids followed from events. An
 * index has these and no others; what a fan-out writes does not touch it.
 */
export const HAS_OWN_ID = sql<boolean>`event_position is not null and left(id::text, 18) <> left(event_id::text, 18)`;

/**
 * The deliveries of these events, replays among them, as a table expression. First ones are a range of the primary key
 * for each event. Both event by event: of a table that nothing has analyzed yet the planner expects so many rows for a list
 * of positions that it starts parallel workers, for ten times as long (measured).
 */
export function deliveriesOf(events: readonly EventRef[]): RawBuilder<unknown> {
  const ranges = events.map((e) => idRangeOf(e.id));
  return sql`(
    select d.* from unnest(${tokens(events.map((e) => e.id))}::text::uuid[], ${tokens(ranges.map((r) => r.from))}::text::uuid[],
      ${tokens(ranges.map((r) => r.to))}::text::uuid[]) as e (id, least, greatest),
      -- offset: each by its own range.
      lateral (select * from webhook_deliveries where id between e.least and e.greatest and event_id = e.id offset 0) as d
    union all
    select d.* from unnest(${tokens(events.map((e) => e.position))}::text::bigint[]) as e (position),
      lateral (select * from webhook_deliveries where event_position = e.position and ${HAS_OWN_ID} offset 0) as d)`;
}

/** What `existingDeliveries` asks for. */
export const firstDeliveriesOf = (
  events: readonly EventRef[],
): RawBuilder<{ position: number; endpoint: string; webhook: string }> => sql`
  select event_position as position, endpoint_id as endpoint, webhook from ${deliveriesOf(events)} as found
  where replay_of is null`;

/** The first deliveries that these events have, by position, whatever their id: see `keyOf`. */
export async function existingDeliveries(db: Db, events: readonly EventRef[]): Promise<Map<number, Set<string>>> {
  const { rows } = await firstDeliveriesOf(events).execute(db);
  const byPosition = Map.groupBy(rows, (row) => row.position);
  return new Map(
    [...byPosition].map(([position, of]) => [position, new Set(of.map((r) => keyOf(r.endpoint, r.webhook)))]),
  );
}

/** Gives back what this process holds, so that another takes it at once. */
export async function releaseLeases(db: Db, owner: string): Promise<void> {
  await sql`update webhook_deliveries set lease_owner = null, lease_until = null
    where status = 'PENDING' and lease_owner = ${owner}`.execute(db);
}
