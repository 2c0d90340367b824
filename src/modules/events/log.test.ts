import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDb, withDatabase } from '../../../test/helpers/database.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { type Env, inTransaction } from '../../platform/db/index.ts';
import { type LogFilter, WHOLE_LOG } from './filter-store.ts';
import { createPublish } from './publish.ts';
import {
  insertEvents as insert,
  lastPosition,
  refsOfTrade,
  selectAfter,
  selectById,
  selectByPositions,
  selectPage,
} from './store.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

const { db } = await withDatabase();
const newId = (): string => uuidv7(systemClock.now());
const env: Env = { now: new Date('2026-02-03T04:05:06.789Z'), newId, requestId: 'request-of-test' };
const checkout = EVENTS['checkout.started'].example;

const event = (tradeSessionId: string, more: Partial<NewEvent> = {}): NewEvent => ({
  id: newId(),
  event: 'checkout.started',
  data: { ...checkout, tradeSessionId },
  accountIds: [],
  occurredAt: env.now,
  requestId: 'request-of-test',
  causedBy: null,
  ...more,
});

/** Without the change stamp, which is not stored. */
function stored(event: LoggedEvent): LoggedEvent {
  const logged = { ...event };
  delete logged.stamp;
  return logged;
}

const insertEvents = async (...input: Parameters<typeof insert>): Promise<LoggedEvent[]> =>
  (await insert(...input)).map(stored);

const readAfter = async (after: number, limit: number): Promise<LoggedEvent[]> =>
  (await selectAfter(db, after, limit)).events.map(stored);

const woken: (readonly LoggedEvent[])[] = [];
const publish = createPublish((events) => woken.push(events));

test('events get ascending positions in their order, and are read back as they were written', async () => {
  const before = await lastPosition(db);
  const account = newId();
  const events = Array.from({ length: 250 }, (_, i) =>
    event(`order-${i}`, { accountIds: i % 2 ? [account, newId()] : [] }),
  );
  events[7] = event('order-7', { causedBy: events[3]?.id ?? null, occurredAt: new Date('0999-12-31T23:59:59.999Z') });
  const logged = await insertEvents(db, events, env.now);
  assert.deepEqual(
    logged.map((e) => e.position),
    events.map((_, i) => before + 1 + i),
  );
  assert.deepEqual(await readAfter(before, 1000), logged);
  assert.deepEqual(await readAfter(before + 10, 5), logged.slice(10, 15));
  assert.deepEqual(await selectById(db, events[7].id), logged[7]);
  assert.deepEqual(await selectByPositions(db, [before + 8]), [logged[7]]);
  assert.deepEqual(await refsOfTrade(db, 'order-42', 'latest'), [{ position: before + 43, id: events[42]?.id }]);
  assert.equal(await lastPosition(db), before + 250);
});

test('a trade and a subject are found by their UUID however an event wrote it, each event once', async () => {
  const before = await lastPosition(db);
  const id = 'abcdef01-2345-7000-8000-00000000abcd';
  const offer = { ...EVENTS['offer.created'].example, offerId: id.toUpperCase() };
  await insertEvents(
    db,
    [event(id), event(id.toUpperCase()), event('other'), event('offer', { event: 'offer.created', data: offer })],
    env.now,
  );
  const positions = async (filter: Partial<LogFilter>): Promise<number[]> => {
    const asked = { accounts: 'all', ...filter } as const;
    const events = await selectPage(db, asked, { range: WHOLE_LOG, limit: 10 });
    return events.map(({ position }) => position - before);
  };
  for (const spelt of [id, id.toUpperCase(), 'ABCDEF01-2345-7000-8000-00000000abcd']) {
    assert.deepEqual(await positions({ tradeSessionId: spelt }), [2, 1], spelt);
    assert.deepEqual(await positions({ subjectId: spelt }), [4, 2, 1], spelt);
    assert.deepEqual(await positions({ tradeSessionId: spelt, requestId: 'request-of-test' }), [2, 1], spelt);
    const refs = async (which: 'first' | 'latest') =>
      (await refsOfTrade(db, spelt, which)).map(({ position }) => position - before);
    assert.deepEqual(
      [await refs('first'), await refs('latest')],
      [
        [1, 2],
        [2, 1],
      ],
      spelt,
    );
  }
  assert.deepEqual(await positions({ tradeSessionId: 'OTHER' }), [], 'of any other id the case counts');
});

test('the database refuses to change or remove an event', async () => {
  const [logged] = await insertEvents(db, [event('kept')], env.now);
  assert.ok(logged);
  const refused = /the event log is append-only: (update|delete|truncate) of events is refused/;
  await assert.rejects(sql`update events set event = 'offer.created' where id = ${logged.id}`.execute(db), refused);
  await assert.rejects(sql`update events set data = data`.execute(db), refused);
  await assert.rejects(sql`delete from events where id = ${logged.id}`.execute(db), refused);
  await assert.rejects(sql`truncate events`.execute(db), refused);
  assert.deepEqual(await selectById(db, logged.id), logged);
});

test('data is kept byte for byte: order of fields, numbers, text', async () => {
  const text = String.raw`{"title":"a \"quoted\" \\ <\/script> ü 🚲","b":10.5,"a":1e21,"nested":{"z":[1,2.25,null,true],"y":""},"0x":-0.001}`;
  const data = JSON.parse(text) as Record<string, unknown>;
  const [logged] = await insertEvents(db, [event('bytes', { data })], env.now);
  const { rows } = await sql<{ text: string }>`select data::text as text from events where id = ${logged?.id}`.execute(
    db,
  );
  assert.equal(rows[0]?.text, JSON.stringify(data));
  assert.equal(JSON.stringify((await selectById(db, logged?.id ?? ''))?.data), JSON.stringify(data));
});

test('publish: the event exists exactly if the change that caused it does', async () => {
  const before = await lastPosition(db);
  woken.length = 0;
  const failing = inTransaction(db, async (trx) => {
    await publish(trx, 'checkout.started', { ...checkout, tradeSessionId: 'never' }, { accountIds: [] }, env);
    throw new Error('the change fails');
  });
  await assert.rejects(failing, /the change fails/);
  assert.deepEqual(await readAfter(before, 10), []);
  assert.equal(woken.length, 0, 'a rollback wakes nobody');

  const cause = newId();
  let inside = -1;
  const logged = await inTransaction(db, async (trx) => {
    const made = await publish(trx, 'checkout.started', checkout, { accountIds: [cause], causedBy: cause }, env);
    inside = woken.length;
    return made;
  });
  assert.equal(inside, 0, 'nobody is woken before the commit');
  assert.deepEqual(woken, [[logged]]);
  assert.deepEqual(await readAfter(before, 10), [stored(logged)]);
  assert.deepEqual(
    [logged.requestId, logged.causedBy, logged.accountIds, logged.occurredAt, logged.recordedAt],
    ['request-of-test', cause, [cause], env.now, env.now],
  );
});

test('publish refuses a payload that does not fit, and the transaction with it', async () => {
  const before = await lastPosition(db);
  const wrong = { ...checkout, tradeAmount: -1 };
  const failing = inTransaction(db, (trx) => publish(trx, 'checkout.started', wrong, { accountIds: [] }, env));
  await assert.rejects(failing, /payload of checkout\.started does not fit its schema.*tradeAmount/);
  assert.equal(await lastPosition(db), before);
});

test('of two transactions that publish at once, each keeps its own order', {
  skip: testDb === 'pglite' && 'one connection',
}, async () => {
  const before = await lastPosition(db);
  const run = (name: string): Promise<number[]> =>
    inTransaction(db, async (trx) => {
      const own: number[] = [];
      for (let i = 0; i < 20; i++) {
        const data = { ...checkout, tradeSessionId: `${name}-${i}` };
        own.push((await publish(trx, 'checkout.started', data, { accountIds: [] }, env)).position);
      }
      return own;
    });
  const all = await Promise.all([run('a'), run('b'), run('c')]);
  for (const own of all)
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    );
  assert.deepEqual(
    (await readAfter(before, 100)).map((e) => e.position),
    all.flat().toSorted((a, b) => a - b),
  );
});
