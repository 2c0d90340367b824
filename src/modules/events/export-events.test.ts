import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { httpApp } from '../../../test/helpers/http-app.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import { exportEvents } from './export-events.ts';
import { exportRoute } from './export-route.ts';
import type { LogFilter } from './filter-store.ts';
import type { AuditDeps } from './list-events.ts';
import { acquireReader } from './reader-store.ts';
import { insertEvents, lastPosition } from './store.ts';
import type { NewEvent } from './types.ts';

const database = await withDatabase();
const { db } = database;
const now = new Date(systemClock.now());
/** More than the export walks in one statement. */
const COUNT = 41_000;

const event = (tradeSessionId: string, more: Partial<NewEvent> = {}): NewEvent => ({
  id: uuidv7(systemClock.now()),
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example, tradeSessionId },
  accountIds: [],
  occurredAt: now,
  requestId: 'test-request',
  causedBy: null,
  ...more,
});

const positions = async (filter: Partial<LogFilter>, after = 0, from: Db = db): Promise<number[]> =>
  (await Array.fromAsync(exportEvents(from, { accounts: 'all', ...filter }, after))).map((e) => e.position);
const trades = async (after: number): Promise<unknown[]> =>
  (await Array.fromAsync(exportEvents(db, { accounts: 'all' }, after))).map((e) => e.data.tradeSessionId);

/** A database that counts what it is asked. */
function counting(): { db: Db; count: () => number } {
  let count = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => (count++, node),
    transformResult: async ({ result }) => result,
  });
  return { db: counted, count: () => count };
}

before(async () => {
  // With gaps, as rolled back transactions leave them.
  await sql`insert into events (position, id, event, data, account_ids, subject_id, occurred_at, recorded_at, request_id)
    select i, gen_random_uuid(), case when i % 20000 = 0 then 'offer.created' else 'seller.linked' end,
      json_build_object('text', repeat('x', 100)), '{}', case when i % 40 = 0 then 'often' end, ${now}, ${now}, 'r'
    from generate_series(1, ${COUNT}::int) as i where i % 7 > 0`.execute(db);
  await sql`select setval('event_positions', ${COUNT})`.execute(db);
  await sql`vacuum (analyze) events`.execute(db);
});

const expected = (fits: (i: number) => boolean): number[] =>
  Array.from({ length: COUNT }, (_, i) => i + 1).filter((i) => i % 7 > 0 && fits(i));

test('every event that passes the filter comes once, oldest first, whatever finds it', async () => {
  assert.deepEqual(
    await positions({}),
    expected(() => true),
  );
  assert.deepEqual(
    await positions({}, 40_123),
    expected((i) => i > 40_123),
  );
  assert.deepEqual(
    await positions({ event: 'offer.created' }),
    expected((i) => i % 20_000 === 0),
  );
  assert.deepEqual(
    await positions({ subjectId: 'often' }),
    expected((i) => i % 40 === 0),
  );
  assert.deepEqual(await positions({ accounts: [] }), []);
  assert.deepEqual(await positions({}, COUNT), []);
});

test('large events are read a few at a time', async () => {
  const start = await lastPosition(db);
  const large = (n: number) =>
    event(`large-${n}`, { data: { tradeSessionId: `large-${n}`, text: 'x'.repeat(900_000) } });
  await insertEvents(
    db,
    Array.from({ length: 7 }, (_, n) => large(n)),
    now,
  );
  const { db: counted, count } = counting();
  assert.equal((await positions({}, start, counted)).length, 7);
  assert.ok(count() >= 10, `${count()} queries`);
});

/** A transaction that stays open until it is told how to end. */
async function openTransaction(): Promise<{ trx: Trx; commit(): Promise<void> }> {
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<Trx>();
  const done = db.transaction().execute(async (trx) => {
    open(trx);
    await ending;
  });
  return { trx: await opened, commit: () => (end(), done) };
}

test(
  'it ends at a gap that an open transaction may still fill, and later gives the same and more',
  onlyPostgres,
  async () => {
    const start = await lastPosition(db);
    await acquireReader(db, 'some-reader', 'node', now);
    await sql`update event_readers set position = ${start}`.execute(db);
    await insertEvents(db, [event('a')], now);
    const slow = await openTransaction();
    await insertEvents(slow.trx, [event('b')], now);
    await insertEvents(db, [event('c')], now);
    assert.deepEqual(await trades(start), ['a']);
    await slow.commit();
    assert.deepEqual(await trades(start), ['a', 'b', 'c']);
  },
);

test('a short transaction is waited for; one that leaves no gap is not', onlyPostgres, async () => {
  const start = await lastPosition(db);
  const slow = await openTransaction();
  await insertEvents(slow.trx, [event('d')], now);
  await insertEvents(db, [event('e')], now);
  const exported = trades(start);
  await slow.commit();
  assert.deepEqual(await exported, ['d', 'e']);
  const last = await openTransaction();
  await insertEvents(last.trx, [event('f')], now);
  await sql`update event_readers set position = ${start + 2}`.execute(db);
  assert.deepEqual(await trades(start), ['d', 'e']);
  await last.commit();
});

const deps: AuditDeps = { visibleAccounts: () => 'all', actingAccount: (_caller, id) => id };

test('GET /v1/events/export gives a line for each, and goes on behind one', async () => {
  const app = await httpApp([exportRoute(deps)], { database });
  const get = (query: string) =>
    app.inject({ url: `/v1/events/export${query}`, headers: { authorization: 'Bearer key1' } });
  const reply = await get('?event=offer.created');
  assert.deepEqual(
    [reply.statusCode, reply.headers['content-type'], reply.headers['cache-control']],
    [200, 'application/x-ndjson', 'private, no-store'],
  );
  const rows = reply.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; event: string });
  assert.deepEqual(
    rows.map((row) => row.event),
    ['offer.created', 'offer.created'],
  );
  assert.equal((await get(`?event=offer.created&after=${rows[0]?.id}`)).body, `${reply.body.split('\n')[1]}\n`);
  assert.equal((await get('?event=no.such')).statusCode, 400);
  assert.equal((await get(`?after=${uuidv7(0)}`)).statusCode, 404);
});

test('a database that fails on the way breaks the connection off: no client takes a part for the whole', async () => {
  let asked = 0;
  const failing = db.withPlugin({
    transformQuery({ node }) {
      if (++asked > 12) throw new Error('the database fails');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const app = await httpApp([exportRoute(deps)], { database: { ...database, db: failing } });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/v1/events/export`, { headers: { authorization: 'Bearer key1' } });
  assert.equal(reply.status, 200);
  await assert.rejects(reply.text(), /terminated/);
  assert.ok(asked > 12);
});

test('a client that hangs up ends the reading', async () => {
  const { db: counted, count } = counting();
  const app = await httpApp([exportRoute(deps)], { database: { ...database, db: counted } });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const connected = once(app.server, 'connection') as Promise<[Socket]>;
  const hangUp = new AbortController();
  const { port } = app.server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/v1/events/export`, {
    headers: { authorization: 'Bearer key1' },
    signal: hangUp.signal,
  });
  const first = await reply.body?.getReader().read();
  assert.ok((first?.value?.length ?? 0) > 0);
  const [socket] = await connected;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  hangUp.abort();
  await closed;
  // What was under way then comes to its end.
  let soFar: number;
  do {
    soFar = count();
    for (let i = 0; i < 100; i++) await sql`select 1`.execute(db);
  } while (count() > soFar);
  const whole = count();
  await positions({}, 0, counted);
  assert.ok(soFar < (count() - whole) / 2, `${soFar} of ${count() - whole} queries`);
});
