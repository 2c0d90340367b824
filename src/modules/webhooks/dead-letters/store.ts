import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { LOWEST } from '../deliveries/search-store.ts';
import { isSentAgain } from '../deliveries/store.ts';
import { causeOfDead as cause } from '../deliveries/ways-store.ts';
import { readAttemptLog } from '../engine/delivery-store.ts';
import type { AttemptRecord } from '../engine/types.ts';

/** Dead letters of one endpoint that failed alike. */
export interface DeadLetterGroup {
  endpointId: string;
  errorClass: string;
  /** Nothing can be sent there any more. */
  isDeleted: boolean;
  count: number;
  /** False: there are more than `count`. */
  isExact: boolean;
  oldestId: string;
  newestId: string;
  /** How many of the newest were looked at for replays, and how many of these a replay has sent, or is about to. */
  lookedAt: number;
  replayed: number;
}

export interface GroupFilter {
  accounts: 'all' | readonly string[];
  endpointId?: string;
  errorClass?: string;
  event?: string;
  /** Ids above and below. */
  after: string;
  before: string;
}

/** The group behind which a page begins. */
export interface Place {
  endpointId: string;
  errorClass: string;
}

/** Of one endpoint, cause and webhook more are not counted: a look into the index takes some milliseconds then. */
export const MOST_COUNTED = 10_000;

/** Of so many, the newest of one endpoint, cause and webhook, is looked whether they were replayed: their rows are read for it, each time. */
export const MOST_LOOKED_AT = 25;

/** The planner sees by it that the index has them. */
const dead = sql`d.status = 'DEAD'`;

const optional = (value: string | undefined, condition: (value: string) => RawBuilder<unknown>): RawBuilder<unknown> =>
  value === undefined ? sql`true` : condition(value);

const endpointsOf = ({ accounts, endpointId }: GroupFilter, from: string): RawBuilder<unknown> => sql`
  select e.id, e.deleted_at is not null as deleted from webhook_endpoints e
  where ${accounts === 'all' ? sql`true` : sql`e.account_id = any(${[...accounts]}::uuid[])`}
    and ${optional(endpointId, (id) => sql`e.id = ${id}::uuid`)} and e.id >= ${from}::uuid
    and exists (select from webhook_deliveries d where d.endpoint_id = e.id and ${dead})`;

/** The causes and webhooks of one endpoint, each found by one step in the index. */
const kindsOf = sql`
  with recursive kinds (cause, webhook) as (
    (select ${cause}, d.webhook from webhook_deliveries d where d.endpoint_id = e.id and ${dead}
     order by ${cause}, d.webhook limit 1)
    union all
    select next.cause, next.webhook from kinds k, lateral (
      select ${cause} as cause, d.webhook from webhook_deliveries d
      where d.endpoint_id = e.id and ${dead} and (${cause}, d.webhook) > (k.cause, k.webhook)
      order by ${cause}, d.webhook limit 1
    ) as next
  )
  select cause, webhook from kinds`;

/** What a group is made of: the part of the index with one endpoint, cause and webhook. */
const part = ({ after, before }: GroupFilter): RawBuilder<unknown> => sql`
  from webhook_deliveries d where d.endpoint_id = e.id and ${cause} = k.cause and d.webhook = k.webhook and ${dead}
    and d.id > ${after}::uuid and d.id < ${before}::uuid`;

/**
 * The newest dead letters of a part, and those of them that a replay has sent or is about to (a job with `skipReplayed` leaves them out, and of those that send the same again all but one): found among the
 * deliveries of their event that no fan-out made, which are few and have an index, in the parts from their own on. Nothing is written down when one is
 * replayed, so it holds whoever replayed it, and what a crash undid does not count. A replay counts as long as it is stored, also past its retention: whoever is told that there is none sends again.
 */
const replayedOf = (filter: GroupFilter): RawBuilder<unknown> => sql`
  select count(*)::integer as looked, count(found.id)::integer as replayed
  from (select d.id, d.event_position ${part(filter)} order by d.id desc limit ${MOST_LOOKED_AT}) as d
  -- Not by \`exists\`, for which all replays that there are may be hashed.
  left join lateral (
    select r.id from webhook_deliveries r where r.event_position = d.event_position and r.event_position is not null
      and left(r.id::text, 18) <> left(r.event_id::text, 18) and r.id > d.id
      and r.endpoint_id = e.id and r.webhook = k.webhook and ${isSentAgain('r')} limit 1
  ) as found on true`;

/**
 * Groups in the order of endpoint and cause: first which there are, by a few steps in the index each, then what is in those
 * of the page. Each is counted up to 10,000 for each webhook, however many dead letters there are.
 */
export const grouping = (filter: GroupFilter, from: Place | null, limit: number): RawBuilder<DeadLetterGroup> => {
  const place = from ?? { endpointId: LOWEST, errorClass: '' };
  return sql<DeadLetterGroup>`
    with page as materialized (
      select e.id, e.deleted, k.cause, array_agg(k.webhook) as webhooks
      from (${endpointsOf(filter, place.endpointId)}) as e cross join lateral (${kindsOf}) as k
      where (e.id, k.cause) > (${place.endpointId}::uuid, ${place.errorClass}::text)
        and ${optional(filter.errorClass, (name) => sql`k.cause = ${name}`)}
        and ${optional(filter.event, (name) => sql`k.webhook = ${name}`)}
        and exists (select ${part(filter)})
      group by e.id, e.deleted, k.cause order by e.id, k.cause limit ${limit}
    )
    select e.id as "endpointId", e.cause as "errorClass", e.deleted as "isDeleted", sum(c.count)::integer as count,
      bool_and(c.count < ${MOST_COUNTED}) as "isExact",
      (array_agg(first.id order by first.id))[1] as "oldestId", (array_agg(last.id order by last.id desc))[1] as "newestId",
      sum(r.looked)::integer as "lookedAt", sum(r.replayed)::integer as replayed
    from page as e
    cross join lateral (select e.cause, webhook from unnest(e.webhooks) as w (webhook)) as k
    cross join lateral (select d.id ${part(filter)} order by d.id limit 1) as first
    cross join lateral (select d.id ${part(filter)} order by d.id desc limit 1) as last
    cross join lateral (select count(*)::integer as count from (select d.id ${part(filter)} limit ${MOST_COUNTED}) as counted) as c
    cross join lateral (${replayedOf(filter)}) as r
    group by e.id, e.cause, e.deleted order by e.id, e.cause`;
};

export const selectGroups = async (
  db: Db | Trx,
  filter: GroupFilter,
  from: Place | null,
  limit: number,
): Promise<DeadLetterGroup[]> => (await grouping(filter, from, limit).execute(db)).rows;

export interface End {
  id: string;
  event: string;
  accountId: string;
  createdAt: Date;
  log: AttemptRecord[];
}

/** The deliveries at the ends of groups. */
export async function selectEnds(db: Db, ids: readonly string[]): Promise<Map<string, End>> {
  const { rows } = await sql<Omit<End, 'log'> & { log: string }>`
    select id, webhook as event, account_id as "accountId", created_at as "createdAt", attempt_log as log
    from webhook_deliveries where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, { ...row, log: readAttemptLog(row.log) }]));
}
