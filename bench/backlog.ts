/** New events beside a million due deliveries of 1,000 endpoints: what they get of the rate without, and the drain. See RESULTS.md. */
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { Client } from 'pg';
import { uuidv7 } from '../src/lib/ids.ts';
import { claimDue } from '../src/modules/webhooks/engine/delivery-store.ts';
import { inTransaction, openPostgres } from '../src/platform/db/index.ts';
import { SMALL } from './lib/event.ts';
import { account, type BenchService, freshDatabase, service } from './lib/processes.ts';
import { type Receiver, receiver, settled } from './lib/receivers.ts';
import { publishTo } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ROWS = Number(process.env.BENCH_BACKLOG ?? 1_000_000);
const ENDPOINTS = 1000;
const PER_MERCHANT = 50;
const CLAIMS = 9;
/** V8 takes what memory there is; so it is told what a small machine has (docs/operations.md). */
const MEMORY = { NODE_OPTIONS: '--max-old-space-size=192 --max-semi-space-size=2' };

export interface BacklogResult {
  rows: number;
  endpoints: number;
  /** New events delivered per second, without and with the backlog. */
  without: number;
  beside: number;
  /** Median time of a claim of 200 rows, with the whole backlog and with a tenth of it. Milliseconds. */
  claimMs: { full: number; tenth: number };
  /** Greatest memory of the service's process. MB. */
  rssMb: number;
  /** From the last new event until nothing was due. Seconds. */
  drainSeconds: number;
  drainedPerSecond: number;
  /** Of the backlog, what did not arrive. */
  lost: number;
}

/** Greatest memory that a process ever had. MB. Linux only. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Merchants with endpoints at this receiver: the ids of the accounts. */
async function merchants(s: BenchService, to: Receiver, accounts: number, endpoints: number): Promise<string[]> {
  const ids: string[] = [];
  for (let a = 0; a < accounts; a++) {
    const merchant = await account(s, 'MERCHANT', ['webhooks:manage']);
    for (let e = 0; e < endpoints; e++)
      await s.call('POST', '/v1/webhooks/endpoints', { url: `http://127.0.0.1:${to.port}/${e}` }, merchant.key);
    ids.push(merchant.id);
  }
  return ids;
}

/**
 * Deliveries that were put off, an hour long, by what the service writes of them: of events of the log, for endpoints in
 * turn.
 */
async function fill(client: Client, rows: number, { port }: Receiver): Promise<void> {
  const { rows: found } = await client.query<{ n: string }>('select count(*) as n from events');
  const startedAt = Date.now() - 3_600_000;
  await client.query(
    `with numbered as (select position, id, request_id, (row_number() over (order by position) - 1)::int as n from events),
      waiting as (select id, account_id, (row_number() over (order by id) - 1)::int as n from webhook_endpoints
        where url like $5 order by id)
    insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
      next_attempt_at, request_id, created_at, updated_at)
    select (left(t.hex, 8) || '-' || substr(t.hex, 9, 4) || '-7' || substr(md5(i::text), 1, 3) || '-8' || substr(md5(i::text), 4, 3)
        || '-' || substr(md5(i::text), 7, 12))::uuid,
      e.position, e.id, 'checkout.started', w.id, w.account_id, 'PENDING', 0, t.at, e.request_id, t.at, t.at
    from generate_series(0, $1::int - 1) as i
      join numbered e on e.n = i % $2::int join waiting w on w.n = i % $3::int,
      lateral (select to_timestamp(($4::bigint + i) / 1000.0) as at, lpad(to_hex($4::bigint + i), 12, '0') as hex) as t`,
    [rows, Number(found[0]?.n), ENDPOINTS, startedAt, `%:${port}/%`],
  );
  await client.query('analyze webhook_deliveries');
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Median time of a claim that is taken back. */
async function claimMs(databaseUrl: string): Promise<number> {
  const database = await openPostgres(databaseUrl, 2);
  const times: number[] = [];
  const undo = new Error('taken back');
  for (let i = 0; i < CLAIMS; i++) {
    const owner = uuidv7(Date.now());
    await inTransaction(database.db, async (trx) => {
      await sql`insert into event_readers (name, position, lease_owner, updated_at) values ('bench', 0, ${owner}, now())`.execute(
        trx,
      );
      const startedAt = performance.now();
      await claimDue(trx, {
        parts: [{ name: 'bench', part: 0, parts: 1 }],
        owner,
        now: new Date(),
        leaseMs: 60_000,
        limit: 200,
        perEndpoint: 32,
        limits: new Map(),
      });
      times.push(performance.now() - startedAt);
      throw undo;
    }).catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  }
  await database.close();
  return median(times);
}

const dueNow = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ n: string }>(
    `select count(*) as n from webhook_deliveries where status = 'PENDING'`,
  );
  return Number(rows[0]?.n);
};

export async function backlog(): Promise<BacklogResult> {
  const [fresh, late] = [await receiver(), await receiver()];
  const databaseUrl = await freshDatabase('posthorn_bench_backlog');
  const client = new Client({ connectionString: databaseUrl });
  let s = await service(databaseUrl, 3991, MEMORY);
  try {
    await client.connect();
    const platform = await account(s, 'PLATFORM', ['events:publish']);
    const audience = await merchants(s, fresh, 20, 1);
    await merchants(s, late, ENDPOINTS / PER_MERCHANT, PER_MERCHANT);
    const publish = async (seconds: number): Promise<number> => {
      const before = (await fresh.ask()).count;
      const startedAt = Number(process.hrtime.bigint());
      const load = { key: platform.key, event: SMALL, audiences: audience.map((id) => [id]), connections: 128 };
      await publishTo(`http://127.0.0.1:${s.port}`, { ...load, seconds });
      const after = await settled(fresh);
      return (after.count - before) / ((after.lastAt - startedAt) / 1e9);
    };
    await publish(4);
    const without = await publish(SECONDS);
    await s.stop();
    await fill(client, ROWS, late);
    const full = await claimMs(databaseUrl);
    s = await service(databaseUrl, 3991, MEMORY);
    const beside = await publish(SECONDS);
    const left = await dueNow(client);
    const startedAt = performance.now();
    let tenth: number | null = null;
    for (let due = left; due > 0; due = await dueNow(client)) {
      if (tenth === null && due <= ROWS / 10) tenth = await claimMs(databaseUrl);
      await new Promise((done) => setTimeout(done, 500));
    }
    const drainSeconds = (performance.now() - startedAt) / 1000;
    return {
      rows: ROWS,
      endpoints: ENDPOINTS,
      without,
      beside,
      claimMs: { full, tenth: tenth ?? Number.NaN },
      rssMb: peakOf(s.pid),
      drainSeconds,
      drainedPerSecond: left / drainSeconds,
      lost: ROWS - Math.min(ROWS, (await settled(late)).count),
    };
  } finally {
    await client.end();
    await s.stop();
    await fresh.stop();
    await late.stop();
  }
}

const n = (value: number): string => Math.round(value).toLocaleString('en-US');

/** As RESULTS.md has it. */
export const backlogSection = (b: BacklogResult): string => `### A backlog

\`node bench/backlog.ts\` (BENCH_BACKLOG: rows): new events at fan-out 1 as above, alone and beside deliveries of ${n(b.endpoints)} other endpoints
that are all due. A claim takes 200 rows. The service runs with a heap of 192 MB.

| due | new/s alone | new/s beside | of alone | claim ms, all due | claim ms, a tenth due | greatest RSS MB | drained/s after | drain s | lost |
|---|---|---|---|---|---|---|---|---|---|
| ${n(b.rows)} | ${n(b.without)} | ${n(b.beside)} | ${(b.beside / b.without).toFixed(2)} | ${b.claimMs.full.toFixed(1)} | ${b.claimMs.tenth.toFixed(1)} | ${n(b.rssMb)} | ${n(b.drainedPerSecond)} | ${n(b.drainSeconds)} | ${b.lost} |
`;

if (import.meta.main) {
  console.log(backlogSection(await backlog()));
  process.exit(0);
}
