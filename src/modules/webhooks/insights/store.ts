import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { TimeWindow } from '../../../platform/http/index.ts';
import type { DeliveryStatus } from '../engine/rules.ts';
import type { ShownFrom } from '../retention/store.ts';

/** Which deliveries are counted. */
export interface Counted {
  accounts: 'all' | readonly string[];
  endpointId?: string;
  event?: string;
  /** What ended before is not counted; absent: all is. */
  shownFrom?: ShownFrom;
}

/** Deliveries are made in the order of their ids, which hold the time (lib/ids.ts). */
const inWindow = ({ since, until }: TimeWindow): RawBuilder<unknown> =>
  sql`id >= ${leastUuidv7(since.getTime())}::uuid and id < ${leastUuidv7(until.getTime())}::uuid`;

const ALL_ACCOUNTS = sql`select distinct account_id from webhook_endpoints`;
const both = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** For which endpoint, and of which event. */
const fitting = ({ endpointId, event }: Omit<Counted, 'accounts'>): RawBuilder<unknown> =>
  both([
    ...(endpointId === undefined ? [] : [sql`endpoint_id = ${endpointId}`]),
    ...(event === undefined ? [] : [sql`webhook = ${event}`]),
  ]);

/**
 * Whose deliveries. The index by account holds endpoint and webhook: where one of these is needed, the accounts are named
 * in any case. Else the order of ids suffices, and it is left to the primary key.
 */
function ofAccounts({ accounts, endpointId, event, shownFrom }: Counted, key: Key): RawBuilder<unknown> {
  const inAnyCase = key !== 'bucket' || event !== undefined || (shownFrom?.own.length ?? 0) > 0;
  return both([
    ...(accounts === 'all' ? [] : [sql`account_id = any(${[...accounts]}::uuid[])`]),
    ...(endpointId === undefined
      ? []
      : [sql`account_id = any(array(select account_id from webhook_endpoints where id = ${endpointId}))`]),
    ...(accounts === 'all' && endpointId === undefined && inAnyCase
      ? [sql`account_id = any(array(${ALL_ACCOUNTS}))`]
      : []),
  ]);
}

/** All that a count of this kind is of. */
const among = (counted: Counted, window: TimeWindow, key: Key): RawBuilder<unknown> =>
  sql`${ofAccounts(counted, key)} and ${fitting(counted)} and ${inWindow(window)}`;

/** The deliveries, with what `isShown` goes by. */
const deliveries = ({ shownFrom }: Counted): RawBuilder<unknown> =>
  shownFrom === undefined || shownFrom.own.length === 0
    ? sql`webhook_deliveries`
    : sql`webhook_deliveries left join unnest(${shownFrom.own.map((o) => o.accountId)}::uuid[], ${shownFrom.own.map((o) => o.from)}::uuid[])
        as own (owner, shown_from) on own.owner = account_id`;

/** Whether a delivery is to be seen also when it has ended. */
const isShown = ({ shownFrom }: Counted): RawBuilder<unknown> => {
  if (shownFrom === undefined) return sql`true`;
  const { usual, own } = shownFrom;
  return own.length === 0 ? sql`id >= ${usual}::uuid` : sql`id >= coalesce(own.shown_from, ${usual}::uuid)`;
};

/** What is to be seen whatever its age. */
const IS_OPEN = sql`status in ('PENDING', 'HELD', 'DEAD')`;
const IS_UNUSUAL = sql`(status <> 'DELIVERED' or attempts > 1)`;

/** The number of the bucket, from 1. */
const bucketOf = ({ starts }: TimeWindow): RawBuilder<unknown> =>
  sql`width_bucket(id, ${starts.map(leastUuidv7)}::uuid[])`;

export type Key = 'bucket' | 'endpoint' | 'event';

const keyOf = (key: Key, window: TimeWindow): RawBuilder<unknown> =>
  ({ bucket: bucketOf(window), endpoint: sql`endpoint_id`, event: sql`webhook` })[key];

/** So many deliveries of a bucket, endpoint or webhook that ended alike. */
export interface Outcome {
  key: string;
  /** ALL: whatever became of them. */
  status: 'ALL' | DeliveryStatus;
  /** Why the last attempt of a DEAD one failed. */
  reason: string | null;
  count: number;
  /** Attempts beyond one for each. */
  more: number;
}

/** Those that are to be seen only because they have not ended, as a part of all. */
const openOnes = (counted: Counted, window: TimeWindow, key: Key): RawBuilder<unknown> => sql`
  union all
  select k::text, status, reason, count, more from (
    select ${keyOf(key, window)} as k, 'ALL' as status, null as reason, count(*) as count, 0::bigint as more
    from ${deliveries(counted)}
    where ${among(counted, window, key)} and ${IS_UNUSUAL} and ${IS_OPEN} and not ${isShown(counted)} group by 1
  ) as still_open`;

/**
 * Counts deliveries in two steps of one statement: how many there are, of which only an index entry is read, and what
 * became of those that did not arrive by their first attempt, which a partial index has.
 */
export const counting = (counted: Counted, window: TimeWindow, key: Key): RawBuilder<Outcome> => sql<Outcome>`
  select k::text as key, status, reason, count, more from (
    select ${keyOf(key, window)} as k, 'ALL' as status, null as reason, count(*) as count, 0::bigint as more
    from ${deliveries(counted)} where ${among(counted, window, key)} and ${isShown(counted)} group by 1
  ) as whole
  ${counted.shownFrom === undefined ? sql`` : openOnes(counted, window, key)}
  union all
  select k::text, status, reason, count, more from (
    select ${keyOf(key, window)} as k, status, case when status = 'DEAD' then error_class end as reason, count(*) as count,
      sum(attempts - 1) as more
    from ${deliveries(counted)}
    where ${among(counted, window, key)} and ${IS_UNUSUAL}
      ${counted.shownFrom === undefined ? sql`` : sql`and (${isShown(counted)} or ${IS_OPEN})`}
    group by 1, 2, 3
  ) as unusual`;

export const countOutcomes = async (db: Db, counted: Counted, window: TimeWindow, key: Key): Promise<Outcome[]> =>
  (await counting(counted, window, key).execute(db)).rows;

/** One delivery that was picked. */
export interface Picked {
  bucket: number;
  /** Milliseconds from its making to its arrival; null when it has not arrived. */
  delay: number | null;
  /** How long each attempt took, in milliseconds. */
  durations: (number | null)[] | null;
}

/** More are not read, whatever was expected. */
const MOST_PICKED = 20_000;

/**
 * Picks one in `every[bucket]` (powers of two) deliveries by chance, which the hash of an id is as good as: the index tells
 * which, and only their rows are read. Most fail by the least of these powers, for which no bucket is looked up. A log begins with the time of its first attempt; what receivers answered comes later.
 */
export const picking = (
  counted: Counted,
  window: TimeWindow,
  every: readonly number[],
): RawBuilder<Picked> => sql<Picked>`
  with picked as materialized (
    select id, ${bucketOf(window)} as bucket from ${deliveries(counted)}
    where ${among(counted, window, 'bucket')} and ${isShown(counted)}
      and uuid_hash(id) & ${Math.min(...every) - 1} = 0
      and uuid_hash(id) & (${[...every]}::int[])[${bucketOf(window)}] - 1 = 0
    limit ${MOST_PICKED}
  )
  select p.bucket,
    case when d.status = 'DELIVERED' then extract(epoch from d.updated_at - d.created_at)::float8 * 1000 end as delay,
    case when d.attempts = 1
      then array[substring(left(d.attempt_log, 120) from '"durationMs":([0-9.]+)')::float8]
      else (select array_agg(m[1]::float8)
        from regexp_matches(d.attempt_log, '^[{]"attempt":[0-9]+,"at":"[^"]*","durationMs":([0-9.]+)', 'gn') as m)
    end as durations
  from picked p join webhook_deliveries d on d.id = p.id`;

export const pickDeliveries = async (
  db: Db,
  counted: Counted,
  window: TimeWindow,
  every: readonly number[],
): Promise<Picked[]> => (await picking(counted, window, every).execute(db)).rows;

export interface Waiting {
  id: string;
  event: string;
  endpointId: string;
  attempts: number;
  createdAt: Date;
  nextAttemptAt: Date;
}

/** The PENDING delivery that was made first, of each account by one look into the index; null: nothing waits. */
export const oldestPending = (counted: Counted): RawBuilder<Waiting> => {
  const { accounts } = counted;
  const owners = accounts === 'all' ? ALL_ACCOUNTS : sql`select unnest(${[...accounts]}::uuid[]) as account_id`;
  return sql<Waiting>`
    select d.id, d.webhook as event, d.endpoint_id as "endpointId", d.attempts, d.created_at as "createdAt",
      d.next_attempt_at as "nextAttemptAt"
    from webhook_deliveries d where d.id = (
      select first.id from (${owners}) as owner, lateral (
        select id from webhook_deliveries
        where account_id = owner.account_id and status = 'PENDING' and ${fitting(counted)}
        order by id limit 1
      ) as first order by first.id limit 1
    )`;
};

export const findOldestPending = async (db: Db, counted: Counted): Promise<Waiting | null> =>
  (await oldestPending(counted).execute(db)).rows[0] ?? null;
