import { leastUuidv7 } from '../../src/lib/ids.ts';
import { addPart } from '../../src/modules/webhooks/storage/adding-store.ts';
import { partsOf } from '../../src/modules/webhooks/storage/parts-store.ts';
import { dropPart } from '../../src/modules/webhooks/storage/taking-off-store.ts';
import { partOf, WEEK_MS, weekOf } from '../../src/modules/webhooks/storage/weeks.ts';
import { openPostgres } from '../../src/platform/db/index.ts';
import { withClient } from '../lib/processes.ts';

/** The events are of the time up to now, so that their deliveries are in four of the parts by weeks. */
const WEEKS = 4;
/** Events per statement. */
const PORTION = 100_000;
const CONNECTIONS = 2;
/** Deliveries of an event. */
export const FAN_OUT = 2;

/**
 * Events and their deliveries as the service writes them: the id of a delivery begins as its event's does. Of a hundred deliveries 97 have
 * arrived, 2 are dead, 1 was discarded; of those of the last hours, 1 waits for tomorrow instead. All endpoints have the same share.
 */
const ROWS = `
  with numbered as (
    select i, to_timestamp(($3::bigint + i * $4::bigint / $5::bigint) / 1000.0) as at,
      lpad(to_hex($3::bigint + i * $4::bigint / $5::bigint), 12, '0') as ms, substr(md5(i::text), 1, 15) as rest
    from generate_series($1::int, $2::int) as i
  ), named as (
    select *, left(ms, 8) || '-' || right(ms, 4) || '-7' || left(rest, 3) as head,
      '-8' || substr(rest, 4, 3) || '-' || right(rest, 9) as tail from numbered
  ), endpoints as materialized (
    select id, account_id, row_number() over (order by id) - 1 as n, count(*) over () as of from webhook_endpoints
  ), placed as (
    select named.*, (head || tail || '000')::uuid as event_id, k, e.id as endpoint_id, e.account_id
    from named cross join generate_series(0, ${FAN_OUT - 1}) as k
    join endpoints e on e.n = (named.i::bigint * 7919 + k * 31) % (select max(of) from endpoints)
  ), logged as (
    insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id)
    select $6::bigint + i, event_id, 'checkout.started', json_build_object('tradeSessionId', 'ts_' || i / 10, 'side', 'INITIATOR',
      'originalPrice', 149.9, 'tradeAmount', 29.9, 'currency', 'EUR'), array_agg(account_id), 'ts_' || i / 10, 'ts_' || i / 10, at, at, event_id::text
    from placed group by i, event_id, at order by i
  )
  insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
    next_attempt_at, error_class, request_id, attempt_log, created_at, updated_at)
  select (head || '-9' || substr(tail, 3) || '00' || k)::uuid, $6::bigint + i, event_id, 'checkout.started', endpoint_id, account_id, status,
    case status when 'DELIVERED' then 1 when 'DEAD' then 5 else 0 end,
    case when status = 'PENDING' then now() + interval '1 day' end,
    case status when 'DEAD' then (array['HTTP_5XX', 'TIMEOUT', 'CONNECT', 'HTTP_4XX'])[1 + i / 100 % 4] when 'DISCARDED' then 'BY_REQUEST' end,
    event_id::text,
    case status when 'DELIVERED' then json_build_object('attempt', 1, 'at', at, 'durationMs', 5 + i % 300, 'responseStatus', 200, 'responseHeaders',
      json_build_object('content-type', 'text/plain'), 'responseBody', 'ok', 'errorClass', null, 'errorMessage', null, 'signature',
      't=1,v1=' || repeat('0', 64), 'standardSignature', 'v1,' || repeat('0', 44))::text || chr(10) else '' end,
    at, at
  from placed, lateral (select case when i % 100 < 97 then 'DELIVERED' when i % 100 < 99 then 'DEAD'
    when i > $5::bigint * 0.99 then 'PENDING' else 'DISCARDED' end as status) as s
  order by 1`;

/** The parts by weeks that these deliveries would have been written into, instead of the one that has all from before the first start. */
async function addWeeks(url: string, now: number): Promise<void> {
  const database = await openPostgres(url, 1);
  try {
    const parts = await partsOf(database.db);
    for (const { name } of parts.filter(({ from }) => from < leastUuidv7(now)))
      await dropPart(database.db, name, { deadFrom: leastUuidv7(0), portion: 1000 });
    for (let week = weekOf(now - WEEKS * WEEK_MS); week <= weekOf(now); week += WEEK_MS)
      if ((await addPart(database.db, partOf(week))) !== 'added')
        throw new Error('a week of the past has its part already');
  } finally {
    await database.close();
  }
}

/**
 * Adds so many events, each with two deliveries to endpoints that are there; every reader of the log has read them. No service
 * may run on the database.
 */
export async function fillLog(url: string, events: number, told: (what: string) => void): Promise<void> {
  const now = Date.now();
  await addWeeks(url, now);
  const last = await withClient(url, async (client) => {
    const { rows } = await client.query<{ last: string }>('select coalesce(max(position), 0) as last from events');
    return Number(rows[0]?.last);
  });
  const span = WEEKS * WEEK_MS;
  let next = 1;
  const write = (): Promise<void> =>
    withClient(url, async (client) => {
      // Nothing looks at each row again, and no commit waits for the disk.
      await client.query('set session_replication_role = replica; set synchronous_commit = off');
      while (next <= events) {
        const from = next;
        next += PORTION;
        await client.query(ROWS, [from, Math.min(next - 1, events), now - span, span, events, last]);
        if ((from - 1) % (10 * PORTION) === 0) told(`${Math.min(next - 1, events)} events`);
      }
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, write));
  await withClient(url, async (client) => {
    await client.query(`select setval('event_positions', $1)`, [last + events]);
    await client.query('update event_readers set position = $1', [last + events]);
    // One seal of all of it, which no verification would pass: sealing ten million events is not what is measured.
    await client.query(
      `insert into event_seals (number, first_position, last_position, events, hash, sealed_at)
       select coalesce(max(number), 0) + 1, coalesce(max(last_position), 0) + 1, $1, $2, repeat('0', 64), now() from event_seals`,
      [last + events, events],
    );
    await client.query('vacuum (analyze) events');
    await client.query('vacuum (analyze) webhook_deliveries');
    await client.query('checkpoint');
  });
  told('done');
}
