import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { EVENTS } from '../../../contracts/events/index.ts';
import { ManualClock, systemClock } from '../../../lib/clock.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import type { Database, Db } from '../../../platform/db/index.ts';
import { insertEvents } from '../store.ts';
import type { LoggedEvent, NewEvent } from '../types.ts';
import { Sealer } from './sealer.ts';
import { computeSeal } from './compute-seal.ts';
import { selectSeals } from './store.ts';
import { verifySeals } from './verify-seals.ts';

const clock = new ManualClock('2026-03-04T05:06:07.089Z');
let database: Database | undefined;
let db: Db;
let sealer: Sealer;

const event = (n: number): NewEvent => ({
  id: uuidv7(systemClock.now()),
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example, tradeSessionId: `trade-${n}` },
  accountIds: n % 2 === 0 ? [uuidv7(0)] : [],
  occurredAt: new Date(clock.now()),
  requestId: 'test-request',
  causedBy: null,
});
const publish = (count: number): Promise<LoggedEvent[]> =>
  insertEvents(
    db,
    Array.from({ length: count }, (_, n) => event(n)),
    new Date(clock.now()),
  );
const seal = async (): Promise<void> => {
  while (await sealer.step());
};

/** Does what the database refuses. */
async function tamper(table: 'events' | 'event_seals', statement: RawBuilder<unknown>): Promise<void> {
  await sql`alter table ${sql.table(table)} disable trigger user`.execute(db);
  await statement.execute(db);
  await sql`alter table ${sql.table(table)} enable trigger user`.execute(db);
}

/** The kind of difference, and at which seal; null: none. */
async function found(): Promise<[kind: string, seal: number] | null> {
  const result = await verifySeals(db);
  return result.ok ? null : [result.difference.kind, result.difference.seal.number];
}

/** A log of its own, sealed after each of these. */
async function logOf(...counts: readonly number[]): Promise<void> {
  // The one before serves again, as it was at first.
  await database?.close();
  database = await withDatabase();
  ({ db } = database);
  sealer = new Sealer({ db, clock, nodeId: 'node' });
  for (const count of counts) {
    await publish(count);
    await seal();
  }
}

beforeEach(() => logOf(20, 20, 10, 5));

test('a log that nobody touched is as it was; what is not sealed yet is told', async () => {
  await logOf(2300, 5);
  const seals = await selectSeals(db, 0, 10);
  assert.deepEqual(
    seals.map((s) => [s.number, s.firstPosition, s.lastPosition, s.events]),
    [
      [1, 1, 1000, 1000],
      [2, 1001, 2000, 1000],
      [3, 2001, 2300, 300],
      [4, 2301, 2305, 5],
    ],
  );
  await publish(3);
  const result = await verifySeals(db);
  assert.deepEqual(result, {
    ok: true,
    seals: 4,
    events: 2305,
    lastPosition: 2305,
    hash: seals[3]?.hash,
    unsealed: 3,
  });
  await seal();
  assert.equal((await selectSeals(db, 0, 10)).length, 5);
  assert.equal(await found(), null);
});

test('sixteen seals are written at once, and the rest by the next step', async () => {
  await sql`
    insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select nextval('event_positions'), gen_random_uuid(), event, data, account_ids, occurred_at, recorded_at, request_id
    from events, generate_series(1, 17001) where position = 1`.execute(db);
  assert.equal(await sealer.step(), true);
  assert.equal((await selectSeals(db, 4, 100)).length, 16);
  assert.equal(await sealer.step(), false);
  const seals = await selectSeals(db, 20, 100);
  assert.deepEqual(
    seals.map((s) => [s.number, s.firstPosition, s.lastPosition, s.events]),
    [
      [21, 16_056, 17_055, 1000],
      [22, 17_056, 17_056, 1],
    ],
  );
  assert.equal(await found(), null);
});

test('a log without events has no seal and nothing is wrong with it', async () => {
  await logOf();
  await seal();
  assert.deepEqual(await verifySeals(db), { ok: true, seals: 0, events: 0, lastPosition: 0, hash: '', unsealed: 0 });
});

test('one changed byte is found, in whichever column', async () => {
  const changes = [
    sql`data = replace(data::text, 'trade-8"', 'trade-9"')::json`,
    // The same document, written otherwise.
    sql`data = (data::text || ' ')::json`,
    sql`account_ids = '{}'`,
    // The same ids, of which none is the first.
    sql`account_ids = ('[2:2]=' || account_ids::text)::uuid[]`,
    sql`recorded_at = recorded_at + interval '1 microsecond'`,
    sql`occurred_at = occurred_at - interval '1 microsecond'`,
    sql`request_id = request_id || 'x'`,
    sql`caused_by = id`,
    sql`event = 'checkout.failed'`,
    sql`subject_id = null`,
    sql`trade_session_id = null`,
    sql`id = gen_random_uuid()`,
    sql`data = null`,
    sql`account_ids = null`,
    sql`recorded_at = null`,
  ];
  for (const column of ['data', 'account_ids', 'recorded_at'])
    await sql`alter table events alter column ${sql.id(column)} drop not null`.execute(db);
  const position = 29;
  const kept = sql`create temporary table kept as select * from events where position = ${sql.lit(position)}`;
  await db.connection().execute(async (one) => {
    db = one;
    await kept.execute(db);
    for (const change of changes) {
      await tamper('events', sql`update events set ${change} where position = ${position}`);
      assert.deepEqual(await found(), ['EVENT_CHANGED', 2]);
      await tamper('events', sql`delete from events where position = ${position}`);
      assert.deepEqual(await found(), ['EVENT_REMOVED', 2]);
      await tamper('events', sql`insert into events select * from kept`);
      assert.equal(await found(), null);
    }
  });
});

test('one removed and one inserted event are found, also in a gap and before the first', async () => {
  const copyTo = (position: number) => sql`
    insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select ${position}, gen_random_uuid(), event, data, account_ids, occurred_at, recorded_at, request_id
    from events where position = 1`;
  const remove = (position: number) => sql`delete from events where position = ${position}`;
  await sql`select nextval('event_positions')`.execute(db);
  await publish(1);
  await seal();
  await tamper('events', copyTo(56));
  assert.deepEqual(await found(), ['EVENT_INSERTED', 5]);
  await tamper('events', remove(56));
  assert.equal(await found(), null);
  await tamper('events', copyTo(-5));
  assert.deepEqual(await found(), ['EVENT_INSERTED', 1]);
  await tamper('events', remove(-5));
  await tamper('events', remove(55));
  assert.deepEqual(await found(), ['EVENT_REMOVED', 4]);
});

test('a seal that was changed, removed or made anew is found', async () => {
  await assert.rejects(sql`update event_seals set events = 1`.execute(db), /append-only/);
  await assert.rejects(sql`delete from event_seals`.execute(db), /append-only/);
  await assert.rejects(sql`truncate event_seals`.execute(db), /append-only/);
  const [, second] = await selectSeals(db, 0, 10);
  const set = (events: number) =>
    tamper('event_seals', sql`update event_seals set events = ${events} where number = 2`);
  await set(999);
  assert.deepEqual(await found(), ['SEAL_CHANGED', 2]);
  await set(second?.events ?? 0);
  assert.equal(await found(), null);
  // An event is changed and the seal over it made to fit: the next one does not.
  await tamper('event_seals', sql`update event_seals set hash = md5(hash) || md5(hash) where number = 2`);
  assert.deepEqual(await found(), ['EVENT_CHANGED', 2]);
  await tamper('event_seals', sql`delete from event_seals where number = 2`);
  assert.deepEqual(await found(), ['SEAL_REMOVED', 2]);
  await tamper('event_seals', sql`delete from event_seals where number > 1`);
  assert.deepEqual(await found(), ['SEAL_REMOVED', 2]);
});

test('a chain verifies whatever forms its seals are of, and a form that was changed is found', async () => {
  // What a node of an earlier version does beside the others, which does not know of forms.
  const [, second, third] = await selectSeals(db, 0, 10);
  assert.ok(second && third);
  const old = await computeSeal(db, second, { form: 1, lastPosition: third.lastPosition });
  await tamper('event_seals', sql`delete from event_seals where number > 2`);
  await sql`insert into event_seals (number, first_position, last_position, events, hash, sealed_at)
    values (${old.number}, ${old.firstPosition}, ${old.lastPosition}, ${old.events}, ${old.hash}, now())`.execute(db);
  await sql`update event_readers set position = ${old.lastPosition}`.execute(db);
  await seal();
  const forms = (await selectSeals(db, 0, 10)).map((s) => s.form);
  assert.deepEqual(forms, [2, 2, 1, 2]);
  assert.equal(await found(), null);
  for (const number of [3, 4]) {
    const set = (form: number) =>
      tamper('event_seals', sql`update event_seals set form = ${form} where number = ${number}`);
    await set(3 - (forms[number - 1] as number));
    assert.deepEqual(await found(), ['EVENT_CHANGED', number]);
    await assert.rejects(set(3), /event_seals_form_check/);
    await sql`alter table event_seals enable trigger user`.execute(db);
    await set(forms[number - 1] as number);
    assert.equal(await found(), null);
  }
  await tamper('events', sql`update events set request_id = 'other' where position = 45`);
  assert.deepEqual(await found(), ['EVENT_CHANGED', 3], 'an event under a seal of form 1');
});

test('seals that were all made anew fit, but not a seal that is known', async () => {
  await logOf(2300, 5);
  const [, , known] = await selectSeals(db, 0, 10);
  assert.ok(known);
  assert.equal((await verifySeals(db, known)).ok, true);
  const missing = await verifySeals(db, { number: 5, hash: known.hash });
  assert.deepEqual(missing, {
    ok: false,
    difference: { seal: { number: 5, firstPosition: 2306, lastPosition: 2306 }, kind: 'SEAL_REMOVED' },
  });
  await tamper('events', sql`update events set request_id = 'other' where position = 2100`);
  await tamper('event_seals', sql`delete from event_seals`);
  await sql`update event_readers set position = 0`.execute(db);
  await seal();
  assert.equal(await found(), null);
  const anew = await verifySeals(db, known);
  assert.deepEqual(
    anew.ok ? null : [anew.difference.kind, anew.difference.seal.number],
    // The event is in the third of three; the second is as it was, and the fourth is gone.
    ['SEAL_REPLACED', 3],
  );
});

test('removed seals are not made anew over what the log has become', async () => {
  await tamper('event_seals', sql`delete from event_seals where number > 2`);
  await tamper('events', sql`update events set request_id = 'other' where position = 45`);
  await publish(10);
  await assert.rejects(sealer.step(), /sealed up to position 55, and its last seal, 2, ends at 40/);
  await assert.rejects(sealer.step(), /seals were removed/, 'nor later');
  assert.deepEqual(await found(), ['SEAL_REMOVED', 3]);
  await tamper('event_seals', sql`delete from event_seals`);
  await assert.rejects(sealer.step(), /its last seal, 0, ends at 0/);
  assert.deepEqual(await found(), ['SEAL_REMOVED', 1]);
});

test('what is published and sealed while it is verified does no harm', async () => {
  let running = true;
  const publishing = (async () => {
    while (running) {
      await publish(20);
      await sealer.step();
    }
  })();
  for (let i = 0; i < 5; i++) assert.equal(await found(), null);
  running = false;
  await publishing;
  await seal();
  assert.equal(await found(), null);
});

test('two nodes at once seal every event once, and not past a gap that may still be filled', onlyPostgres, async () => {
  const other = new Sealer({ db, clock, nodeId: 'other' });
  await publish(2500);
  await Promise.all([sealer.step(), other.step(), sealer.step()]);
  await sealer.release();
  while (await other.step());
  await other.release();
  assert.equal(await found(), null);
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const { promise: open, resolve: opened } = Promise.withResolvers<void>();
  const slow = db.transaction().execute(async (trx) => {
    await insertEvents(trx, [event(1)], new Date(clock.now()));
    opened();
    await ending;
  });
  await open;
  await publish(1);
  await seal();
  const before = (await verifySeals(db)) as { unsealed: number };
  assert.equal(before.unsealed, 1);
  end();
  await slow;
  await seal();
  assert.deepEqual(
    [(await verifySeals(db)) as { unsealed: number }].map((r) => r.unsealed),
    [0],
  );
  assert.equal(await found(), null);
});
