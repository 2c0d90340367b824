import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../lib/ids.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import type { Action, ActorKind, ThingKind } from './actions.ts';

/** A row of migrations/0043-changes.sql as it is written. */
export interface NewRow {
  id: string;
  at: Date;
  action: Action;
  actor_kind: ActorKind;
  actor_id: string | null;
  account_id: string | null;
  thing_kind: ThingKind;
  thing_id: string | null;
  thing_name: string;
  /** JSON. */
  before: string;
  /** JSON. */
  after: string;
  request_id: string | null;
}

export async function insertChange(trx: Trx, row: NewRow): Promise<void> {
  await sql`
    insert into changes (id, at, action, actor_kind, actor_id, account_id, thing_kind, thing_id, thing_name, before, after, request_id)
    values (${row.id}, ${row.at}, ${row.action}, ${row.actor_kind}, ${row.actor_id}, ${row.account_id}, ${row.thing_kind},
      ${row.thing_id}, ${row.thing_name}, ${row.before}::jsonb, ${row.after}::jsonb, ${row.request_id})`.execute(trx);
}

export interface ChangeRow {
  id: string;
  at: Date;
  action: string;
  actorKind: ActorKind;
  actorId: string | null;
  userName: string | null;
  userEmail: string | null;
  keyName: string | null;
  keyHint: string | null;
  keyAccountId: string | null;
  accountId: string | null;
  accountName: string | null;
  thingKind: ThingKind;
  thingId: string | null;
  thingName: string;
  isGone: boolean;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  requestId: string | null;
}

export interface ChangeFilter {
  accountId?: string | undefined;
  actorId?: string | undefined;
  thingId?: string | undefined;
  actions?: readonly string[] | undefined;
  /** By when they were made, which their ids tell: from `since`, before `until`. */
  since?: string | undefined;
  until?: string | undefined;
  /** Only those before this one. */
  before: string | null;
  limit: number;
}

function conditionsOf({
  accountId,
  actorId,
  thingId,
  actions,
  since,
  until,
  before,
}: ChangeFilter): RawBuilder<unknown> {
  const idAt = (time: string): string => leastUuidv7(Date.parse(time));
  return sql.join(
    [
      sql`true`,
      ...(accountId === undefined ? [] : [sql`c.account_id = ${accountId}`]),
      ...(actorId === undefined ? [] : [sql`c.actor_id = ${actorId}`]),
      ...(thingId === undefined ? [] : [sql`c.thing_id = ${thingId}`]),
      ...(actions === undefined ? [] : [sql`c.action = any(${[...actions]}::text[])`]),
      ...(since === undefined ? [] : [sql`c.id >= ${idAt(since)}::uuid`]),
      ...(until === undefined ? [] : [sql`c.id < ${idAt(until)}::uuid`]),
      ...(before === null ? [] : [sql`c.id < ${before}::uuid`]),
    ],
    sql` and `,
  );
}

/** Newest first, with the present names of who made them. */
export async function selectChanges(db: Db, filter: ChangeFilter): Promise<ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`
    select c.id, c.at, c.action, c.actor_kind as "actorKind", c.actor_id as "actorId", u.name as "userName",
      u.email as "userEmail", k.name as "keyName", k.key_hint as "keyHint", k.account_id as "keyAccountId",
      c.account_id as "accountId", a.name as "accountName", c.thing_kind as "thingKind", c.thing_id as "thingId",
      c.thing_name as "thingName", e.deleted_at is not null as "isGone", c.before, c.after, c.request_id as "requestId"
    from changes c
    left join users u on c.actor_kind = 'USER' and u.id = c.actor_id
    left join api_keys k on c.actor_kind = 'API_KEY' and k.id = c.actor_id
    left join accounts a on a.id = c.account_id
    left join webhook_endpoints e on c.thing_kind in ('ENDPOINT', 'BUSINESS_SUBSCRIPTION') and e.id = c.thing_id
    where ${conditionsOf(filter)}
    order by c.id desc limit ${filter.limit}`.execute(db);
  return rows;
}

/** Removes at most a portion of those that were made before; how many. */
export async function deleteChanges(db: Db, before: Date, portion: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from changes where id = any(array(
      select id from changes where id < ${leastUuidv7(before.getTime())}::uuid order by id limit ${portion}))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
