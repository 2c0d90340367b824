import type { Client } from 'pg';
import type { BenchService } from '../lib/processes.ts';

/** Merchants; half of everything is the first one's. */
const MERCHANTS = 20;
const ENDPOINTS = 10;
/** The deliveries are of the time up to now. Milliseconds. */
const SPAN_MS = 6 * 86_400_000;
/** Deliveries per statement. */
const PORTION = 200_000;

export interface Filled {
  /** The merchant that has half of everything. */
  accountId: string;
  endpointIds: readonly string[];
}

/** Merchants with endpoints where nobody listens: nothing is sent, since the service that is measured runs no loops. */
export async function addMerchants(s: BenchService): Promise<Filled> {
  const accounts: string[] = [];
  const endpointIds: string[] = [];
  for (let m = 0; m < MERCHANTS; m++) {
    const account = { name: `Merchant ${m}`, type: 'MERCHANT' };
    const { id } = await s.call<{ id: string }>('POST', '/v1/admin/accounts', account, s.operator);
    const key = { accountId: id, name: 'bench', scopes: ['webhooks:manage'] };
    await s.call('POST', '/v1/admin/api-keys', key, s.operator);
    for (let e = 0; e < ENDPOINTS; e++) {
      const body = { url: `http://127.0.0.1:9/${m}/${e}` };
      const made = await s.call<{ id: string }>('POST', `/v1/webhooks/endpoints?accountId=${id}`, body, s.operator);
      if (m === 0) endpointIds.push(made.id);
    }
    accounts.push(id);
  }
  return { accountId: accounts[0] as string, endpointIds };
}

/**
 * An event and its delivery for each number, as the service writes them: the id of a delivery begins as its event's does. Of a
 * hundred 90 have arrived, 4 are dead, 3 held, 2 wait for tomorrow, 1 was discarded.
 */
const ROWS = `
  with numbered as (
    select i, to_timestamp(($3::bigint + i * $4::bigint / $5::bigint) / 1000.0) as at,
      lpad(to_hex($3::bigint + i * $4::bigint / $5::bigint), 12, '0') as ms, substr(md5(i::text), 1, 15) as rest,
      case when i % 2 = 0 then 0 else 1 + i / 2 % ${MERCHANTS - 1} end as merchant, i % 100 as part
    from generate_series($1::int, $2::int) as i
  ), named as (
    select *, left(ms, 8) || '-' || right(ms, 4) || '-7' || left(rest, 3) as head from numbered
  ), placed as (
    select n.*, (head || '-8' || substr(rest, 4, 3) || '-' || right(rest, 9) || '000')::uuid as event_id,
      (head || '-9' || substr(rest, 4, 3) || '-' || right(rest, 9) || '000')::uuid as delivery_id, e.id as endpoint_id, e.account_id
    from named n join (
      select id, account_id, dense_rank() over (order by account_id) - 1 as merchant,
        row_number() over (partition by account_id order by id) - 1 as place from webhook_endpoints
    ) e on e.merchant = n.merchant and e.place = n.i / 40 % ${ENDPOINTS}
  ), logged as (
    insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id)
    select nextval('event_positions'), event_id, 'checkout.started', json_build_object('tradeSessionId', 'ts_' || i / 10, 'side',
      'INITIATOR', 'originalPrice', 149.9, 'tradeAmount', 29.9, 'currency', 'EUR'), array[account_id], 'ts_' || i / 10, 'ts_' || i / 10,
      at, at, event_id::text from placed order by i
    returning position, id
  )
  insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
    next_attempt_at, error_class, request_id, attempt_log, created_at, updated_at)
  select delivery_id, l.position, event_id, 'checkout.started', endpoint_id, account_id,
    case when part < 90 then 'DELIVERED' when part < 94 then 'DEAD' when part < 97 then 'HELD' when part < 99 then 'PENDING' else 'DISCARDED' end,
    case when part < 90 then 1 when part < 94 then 5 else 0 end,
    case when part in (97, 98) then now() + interval '1 day' end,
    case when part between 90 and 93 then (array['HTTP_5XX', 'TIMEOUT', 'CONNECT', 'HTTP_4XX'])[1 + i / 100 % 4] when part = 99 then 'BY_REQUEST' end,
    event_id::text,
    case when part < 90 then json_build_object('attempt', 1, 'at', at, 'durationMs', 5 + i % 300, 'responseStatus', 200, 'responseHeaders',
      json_build_object('content-type', 'text/plain'), 'responseBody', 'ok', 'errorClass', null, 'errorMessage', null, 'signature',
      't=1,v1=' || repeat('0', 64), 'standardSignature', 'v1,' || repeat('0', 44))::text || chr(10) else '' end,
    at, at
  from placed join logged l on l.id = event_id`;

/** So many events, each with a delivery. */
export async function addDeliveries(client: Client, rows: number, told: (what: string) => void): Promise<void> {
  const since = Date.now() - SPAN_MS;
  for (let from = 0; from < rows; from += PORTION) {
    const to = Math.min(rows, from + PORTION) - 1;
    await client.query(ROWS, [from, to, since, SPAN_MS, rows]);
    told(`${to + 1} deliveries`);
  }
  await client.query('vacuum (analyze) events');
  await client.query('vacuum (analyze) webhook_deliveries');
}
