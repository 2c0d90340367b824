import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Database, openPglite, openPostgres } from '../src/platform/db/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { migratedPostgres, testDb } from './helpers/database.ts';
import { migratedDataDir } from './helpers/embedded.ts';
import { until } from './helpers/engine.ts';
import { ServiceProcess } from './helpers/process.ts';
import { startReceiver } from './helpers/receiver.ts';

const LETTERS = 800;
const RATE = 300;
/** Parts of the job after which the service is killed. */
const KILLS = [0.15, 0.5, 0.8];

interface Place {
  env: Record<string, string>;
  open: () => Promise<Database>;
}

async function place(): Promise<Place> {
  if (testDb === 'postgres') {
    const url = await migratedPostgres();
    const env = { DATABASE_URL: url, POSTHORN_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
    return { env, open: () => openPostgres(url, 2) };
  }
  const dir = await migratedDataDir();
  return { env: { POSTHORN_DATA_DIR: dir }, open: () => openPglite(dir) };
}

/** Writes dead letters, or reads what became of them, while no process runs. */
async function withOpen<T>({ open }: Place, use: (db: Database['db']) => Promise<T>): Promise<T> {
  const database = await open();
  try {
    return await use(database.db);
  } finally {
    await database.close();
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

test(`a job that replays ${LETTERS} dead letters is killed three times: each is replayed once, none twice, at its rate`, {
  timeout: 150_000,
}, async () => {
  const where = await place();
  const receiver = await startReceiver();
  // What is sent is not the point: a thread for it would be a quarter of each start.
  const env = { ...where.env, WEBHOOK_SENDER_THREADS: '0' };
  const main = new ServiceProcess(env);
  // A second worker, where there can be one, takes part throughout.
  const second = testDb === 'postgres' ? new ServiceProcess(env, 'worker') : null;
  cleanup(() => main.kill());
  cleanup(async () => second?.kill());
  await main.start();
  const operator = await main.operator();
  const { id: accountId } = await main.call('POST', '/v1/admin/accounts', { name: 'Shop', type: 'MERCHANT' }, operator);
  const key = { accountId, name: 'shop', scopes: ['webhooks:manage'] };
  await main.call('POST', '/v1/admin/api-keys', key, operator);
  const path = `/v1/webhooks/endpoints?accountId=${accountId}`;
  const endpoint = await main.call('POST', path, { url: receiver.url() }, operator);
  await main.stop();
  await withOpen(where, (db) =>
    sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id,
        error_class, body, created_at, updated_at)
      select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 60000), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid,
        gen_random_uuid(), 'offer.created', ${endpoint.id}, ${accountId}, 'DEAD', 5, 'r', 'TIMEOUT', '{"n":' || i || '}', now(), now()
      from generate_series(1, ${LETTERS}::int) as i`.execute(db),
  );
  await main.start();
  await second?.start();
  const token = await main.operator();
  const body = { filter: { status: 'DEAD' }, ratePerSecond: RATE };
  const job = await main.call('POST', `/v1/webhooks/deliveries/replay?accountId=${accountId}`, body, token);
  assert.equal(job.total, LETTERS);
  const look = (): Promise<Body> => main.call('GET', `/v1/webhooks/replays/${job.id}`, undefined, token);
  for (const part of KILLS) {
    const at = Math.floor(LETTERS * part);
    await until(`${at} are replayed`, async () => (await look()).done >= at, 60_000, 50);
    await main.kill();
    if (part === KILLS[1]) await second?.kill();
    await main.start();
  }
  await until('the job is over', async () => (await look()).state === 'COMPLETED', 60_000, 100);
  const ended = await look();
  assert.deepEqual([ended.done, ended.total, ended.skipped, ended.error], [LETTERS, LETTERS, {}, null]);
  const arrived = (): number => new Set(receiver.received.map((r) => r.headers['x-service-delivery-id'])).size;
  // What a killed process was sending or had claimed is sent by whoever takes over.
  await until('each replay arrives', () => arrived() === LETTERS, 60_000, 50);
  await main.stop();
  await second?.stop();
  await withOpen(where, async (db) => {
    const { rows } = await sql<{ replays: number; letters: number; perSecond: number }>`
      select count(*)::integer as replays, count(distinct replay_of)::integer as letters,
        (select max(n)::integer from (select count(*) as n from webhook_deliveries where replay_of is not null
          group by created_at) as portions) as "perSecond"
      from webhook_deliveries where replay_of in (select id from webhook_deliveries where status = 'DEAD')`.execute(db);
    assert.deepEqual(rows[0], { replays: LETTERS, letters: LETTERS, perSecond: RATE });
    const { rows: times } = await sql<{ ms: number }>`
      select (extract(epoch from t - lag(t) over (order by t)) * 1000)::float8 as ms
      from (select distinct created_at as t from webhook_deliveries where replay_of is not null) as portions`.execute(
      db,
    );
    const gaps = times.map(({ ms }) => ms).filter((ms) => ms !== null);
    // Portions are a second apart, whichever process does them.
    assert.ok(gaps.length >= LETTERS / RATE - 1 && gaps.every((ms) => ms >= 999), `${gaps.join(', ')} ms`);
  });
  process.stdout.write(
    `jobs, kill -9 on ${testDb}: ${LETTERS} dead letters, ${KILLS.length} kills, each replayed once; ${receiver.received.length} requests\n`,
  );
});
