import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres } from '../../../../test/helpers/database.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { DAY_MS, nameOf, storageFixture } from './fixtures.ts';
import { partsOf } from './parts-store.ts';
import { areSomeHidden, dropPart, mayBeHidden } from './taking-off-store.ts';
import { LEAST_ID, partOf, WEEK_MS } from './weeks.ts';

const { db, THIS_WEEK, ENDPOINT, keeper, keep, placesOf, tablesOf, oldPart, takeOff, refusedOfRest } =
  await storageFixture();

test('however much is kept of a part, only a little is moved while everybody waits for it', async () => {
  const week = THIS_WEEK + 40 * WEEK_MS;
  await keep(keeper({ time: () => week }));
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, created_at, updated_at)
    select (${leastUuidv7(week).slice(0, 14)} || '7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, ${ENDPOINT}, 'offer.created', ${ENDPOINT}, ${ENDPOINT},
      'HELD', 0, 'kept', now(), now() from generate_series(1, 600) as i`.execute(db);
  const seen = async (): Promise<number> => {
    const { rows } = await sql`select from webhook_deliveries where request_id = 'kept'`.execute(db);
    return rows.length;
  };
  const one = keeper({ time: () => week + WEEK_MS + 90 * DAY_MS, rest: async () => undefined });
  const places: number[] = [];
  while (places.at(-1) !== 600 || places.length < 3) {
    assert.equal(await one.step(), true);
    if (!(await partsOf(db)).some((p) => p.name === partOf(week).name)) places.push(await seen());
  }
  assert.deepEqual(places, [250, 600, 600]);
  await sql`delete from webhook_deliveries where request_id = 'kept'`.execute(db);
  await keep(one);
});

test('a kept row that is in the rest already takes none of the others with it', async () => {
  const { name, ids, one } = await oldPart(50, 6);
  await takeOff(one, name);
  const places = await placesOf(ids);
  assert.equal(places.filter((p) => p === null).length, 4);
  const hidden = ids[places.indexOf(null)] as string;
  await sql`insert into webhook_deliveries select (jsonb_populate_record(null::webhook_deliveries, to_jsonb(d) || '{"request_id": "again"}')).*
    from ${sql.table((await tablesOf(name))[0] as string)} d where id = ${hidden}`.execute(db);
  await keep(one);
  assert.deepEqual(await placesOf(ids), Array(6).fill('rest HELD'));
  assert.deepEqual(await tablesOf(name), []);
});

test(
  'while somebody reads a part that was taken off for long, all that is kept of it comes back in sight; it goes later',
  onlyPostgres,
  async () => {
    const { name, ids, one } = await oldPart(54, 5);
    const other = await oldPart(56, 0);
    await takeOff(one, name);
    await inTransaction(db, async (dump) => {
      await sql`lock table ${sql.table((await tablesOf(name))[0] as string)} in access share mode`.execute(dump);
      await keep(one);
      assert.equal((await tablesOf(name)).length, 1);
      assert.deepEqual(await placesOf(ids), Array(5).fill('rest HELD'));
      assert.equal(await inTransaction(db, areSomeHidden), false, 'jobs go on');
      await keep(other.one);
      assert.ok(!(await partsOf(db)).some((p) => p.name === other.name), 'later parts go');
    });
    await keep(other.one);
    assert.equal((await tablesOf(name)).length, 1, 'nor is it tried again at every step');
    await keep(keeper());
    assert.deepEqual(await tablesOf(name), []);
  },
);

test('what is out of sight comes back though its week has come again: a clock was wrong for a moment', async () => {
  const { name, ids, one } = await oldPart(100, 6);
  await takeOff(one, name);
  await keep(keeper({ time: () => THIS_WEEK + 100 * WEEK_MS, portion: 2, rest: async () => undefined }));
  assert.deepEqual(await placesOf(ids), Array(6).fill(`${nameOf(THIS_WEEK + 100 * WEEK_MS)} HELD`));
});

test(
  'nor does it wait for the place of a new week, for which a reader of the rest is in the way',
  onlyPostgres,
  async () => {
    const { name, ids, one } = await oldPart(140, 6);
    await takeOff(one, name);
    const ahead = keeper({ time: () => THIS_WEEK + 170 * WEEK_MS, portion: 2, rest: async () => undefined });
    await inTransaction(db, async (dump) => {
      await sql`lock table webhook_deliveries_rest in access share mode`.execute(dump);
      await keep(ahead);
      assert.deepEqual(await placesOf(ids), Array(6).fill('rest HELD'));
      assert.ok(!(await partsOf(db)).some((p) => p.name === partOf(THIS_WEEK + 170 * WEEK_MS).name));
    });
    await keep(ahead);
    assert.ok((await partsOf(db)).some((p) => p.name === partOf(THIS_WEEK + 170 * WEEK_MS).name));
  },
);

test('what a process left that was killed is seen to by any other within seconds, long before parts are due', async () => {
  const { name, ids, one } = await oldPart(240, 6);
  const other = keeper({
    againMs: 1e9,
    portion: 2,
    rest: async () => undefined,
    time: () => THIS_WEEK + 240 * WEEK_MS,
  });
  await keep(other);
  await takeOff(one, name);
  const part = partOf(THIS_WEEK + 260 * WEEK_MS);
  await sql`alter table webhook_deliveries_rest add constraint ${sql.ref(`without_${part.name}`)}
    check (not (id is not null and id >= ${sql.lit(part.from)} and id < ${sql.lit(part.to)})) not valid`.execute(db);
  await keep(other);
  assert.deepEqual(await placesOf(ids), Array(6).fill('rest HELD'));
  assert.equal((await refusedOfRest()).length, 1, 'somebody may be at it');
  const now = performance.now.bind(performance);
  for (const s of [6, 12]) {
    mock.method(performance, 'now', () => now() + s * 1000);
    await keep(other);
  }
  mock.reset();
  assert.deepEqual(await refusedOfRest(), []);
  await keep(one);
});

test('only what was in a part that is out of sight may be hidden', async () => {
  const { name, ids, one } = await oldPart(280, 6);
  await takeOff(one, name);
  const hidden = ids[(await placesOf(ids)).indexOf(null)] as string;
  const inTrx = (fn: typeof mayBeHidden, id: string): Promise<boolean> => inTransaction(db, (trx) => fn(trx, id));
  const { from, to } = partOf(THIS_WEEK + 280 * WEEK_MS);
  assert.deepEqual([await inTrx(mayBeHidden, hidden), await inTrx(areSomeHidden, hidden)], [true, true]);
  assert.deepEqual([await inTrx(mayBeHidden, from), await inTrx(mayBeHidden, to)], [true, false]);
  assert.deepEqual([await inTrx(areSomeHidden, LEAST_ID), await inTrx(areSomeHidden, to)], [true, false]);
  await keep(one);
  assert.deepEqual(await inTrx(mayBeHidden, hidden), false);
});

test('a table that cannot be removed keeps no part from being taken off', async () => {
  const [first, second] = [await oldPart(310, 2), await oldPart(312, 2)];
  await takeOff(first.one, first.name);
  const [table = ''] = await tablesOf(first.name);
  await sql`create view of_an_operator as select * from ${sql.table(table)}`.execute(db);
  const later = keeper({ time: () => THIS_WEEK + 313 * WEEK_MS + 90 * DAY_MS, rest: async () => undefined });
  while ((await partsOf(db)).some((p) => p.name === second.name)) await later.step().catch(() => undefined);
  assert.deepEqual(await tablesOf(first.name), [table]);
  await assert.rejects(keep(later), /depends? on/);
  await sql`drop view of_an_operator`.execute(db);
  await keep(later);
  assert.deepEqual([await tablesOf(first.name), await tablesOf(second.name)], [[], []]);
});

test('a part of which so much waits that to look at it takes long is not taken off', async () => {
  const { name, one } = await oldPart(320, 2);
  assert.equal(await dropPart(db, name, { deadFrom: LEAST_ID, portion: 2 }, -1), 'too many wait');
  assert.ok((await partsOf(db)).some((p) => p.name === name));
  await keep(one);
});

test('where what is out of sight does not come back, no more goes out of sight', async () => {
  const first = await oldPart(300, 6);
  const second = await oldPart(301, 6);
  await takeOff(first.one, first.name);
  const [table = ''] = await tablesOf(first.name);
  // Whatever it is that the rest does not take.
  await sql`alter table webhook_deliveries_rest add constraint nothing_held check (status <> 'HELD') not valid`.execute(
    db,
  );
  const later = keeper({
    time: () => THIS_WEEK + 303 * WEEK_MS + 90 * DAY_MS,
    portion: 2,
    rest: async () => undefined,
  });
  for (let i = 0; i < 3; i++) await assert.rejects(later.step(), /nothing_held/);
  assert.deepEqual(await tablesOf(first.name), [table]);
  assert.ok((await partsOf(db)).some((p) => p.name === second.name));
  await sql`alter table webhook_deliveries_rest drop constraint nothing_held`.execute(db);
  await keep(later);
  assert.deepEqual(await placesOf([...first.ids, ...second.ids]), Array<string>(12).fill('rest HELD'));
});
