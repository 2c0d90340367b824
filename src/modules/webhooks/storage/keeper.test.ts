import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres } from '../../../../test/helpers/database.ts';
import { leastUuidv7, uuidv7 } from '../../../lib/ids.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { DAY_MS, nameOf, storageFixture } from './fixtures.ts';
import { saveRetention } from '../retention/store.ts';
import { addPart } from './adding-store.ts';
import { isBusy, partsOf } from './parts-store.ts';
import { areSomeHidden, dropPart } from './taking-off-store.ts';
import { rangeIfAny, rangeOfWaiting } from './waiting-store.ts';
import { GREATEST_ID, LEAST_ID, partOf, WEEK_MS, weekOf } from './weeks.ts';

const { db, NOW, THIS_WEEK, keeper, keep, write, placesOf, tablesOf, oldPart } = await storageFixture();
/** All weeks to come that are looked at below are after this. */
const WEEKS_AHEAD = 20;

test('weeks begin on Monday, also before 1970', () => {
  for (const ms of [0, NOW, -1, Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(2024, 0, 1)]) {
    const week = weekOf(ms);
    assert.equal(new Date(week).getUTCDay(), 1);
    assert.ok(week <= ms && ms < week + WEEK_MS);
  }
});

test('each of the four weeks to come gets its part, once, whoever is first', async () => {
  const before = await partsOf(db);
  assert.deepEqual(
    before.map((p) => [p.name, p.from, p.to]),
    [['webhook_deliveries_first', LEAST_ID, leastUuidv7(THIS_WEEK + WEEK_MS)]],
  );
  await Promise.all([keep(keeper()), keep(keeper())]);
  const weeks = [1, 2, 3, 4].map((n) => partOf(THIS_WEEK + n * WEEK_MS));
  assert.deepEqual(
    (await partsOf(db)).slice(1),
    weeks.map(({ name, from, to }) => ({ name, from, to })),
  );
  assert.equal(await keep(keeper()), 0);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_class where relispartition and relkind = 'r' and relname like 'webhook_deliveries%'
      and (relname = 'webhook_deliveries_first' or reloptions @> '{autovacuum_vacuum_insert_scale_factor=0.05}')`.execute(
    db,
  );
  assert.equal(rows[0]?.n, 6, 'all are vacuumed as early as counting needs it');
});

test('a row of a week without a part is in the rest, found by its id and its status, and moves when the part is made', async () => {
  const week = THIS_WEEK + 8 * WEEK_MS;
  const id = await write({ at: week + DAY_MS, status: 'PENDING' });
  assert.deepEqual(await placesOf([id]), ['rest PENDING']);
  const { from, to } = await rangeOfWaiting(db, 'PENDING', new Date(NOW));
  assert.ok(from <= id && id < to, `${id} is not from ${from} to ${to}`);
  await keep(keeper({ time: () => week - WEEK_MS }));
  assert.deepEqual(await placesOf([id]), [`${nameOf(week)} PENDING`]);
  await sql`delete from webhook_deliveries where id = ${id}`.execute(db);
});

test('this week, the one before and the next are always looked at, others where something waits', async () => {
  const inRange = async (at: number): Promise<boolean> => {
    const { from, to } = await rangeOfWaiting(db, 'HELD', new Date(NOW));
    return from <= leastUuidv7(at) && leastUuidv7(at) < to;
  };
  assert.deepEqual(await Promise.all([-2, -1, 0, 1, 2].map(async (n) => inRange(THIS_WEEK + n * WEEK_MS))), [
    false,
    true,
    true,
    true,
    false,
  ]);
  for (const at of [NOW - 800 * DAY_MS, NOW - 30 * DAY_MS, NOW + 30 * DAY_MS, NOW + 8000 * DAY_MS]) {
    const id = await write({ at, status: 'HELD' });
    assert.ok(await inRange(at), new Date(at).toISOString());
    await sql`delete from webhook_deliveries where id = ${id}`.execute(db);
  }
  assert.equal((await rangeOfWaiting(db, 'PENDING', new Date(NOW))).to < GREATEST_ID, true);
});

test('nothing that waits is told as such, from the first row on no more', async () => {
  assert.equal(await rangeIfAny(db, 'HELD', new Date(NOW)), null);
  const id = await write({ at: NOW - 30 * DAY_MS, status: 'HELD' });
  const range = await rangeIfAny(db, 'HELD', new Date(NOW));
  assert.ok(range && range.from <= id && id < range.to);
  await sql`delete from webhook_deliveries where id = ${id}`.execute(db);
});

test('a part that another node has removed hides nothing', async () => {
  const week = THIS_WEEK + 20 * WEEK_MS;
  assert.equal(await addPart(db, partOf(week)), 'added');
  await rangeIfAny(db, 'HELD', new Date(NOW));
  await sql`drop table ${sql.table(partOf(week).name)}`.execute(db);
  assert.deepEqual(
    await rangeIfAny(db, 'HELD', new Date(NOW)),
    { from: LEAST_ID, to: GREATEST_ID },
    'everything is looked at',
  );
  assert.equal(await rangeIfAny(db, 'HELD', new Date(NOW)), null, 'by the parts that there are');
});

test(
  'no part is taken off while a transaction goes on that has asked whether some deliveries are hidden',
  onlyPostgres,
  async () => {
    const part = partOf(THIS_WEEK + 30 * WEEK_MS);
    assert.equal(await addPart(db, part), 'added');
    const kept = { deadFrom: LEAST_ID, portion: 1 };
    await inTransaction(db, async (trx) => {
      assert.equal(await areSomeHidden(trx), false);
      await assert.rejects(dropPart(db, part.name, kept), isBusy);
    });
    assert.ok(await dropPart(db, part.name, kept));
    assert.equal(await inTransaction(db, areSomeHidden), false, 'nothing of it is kept');
  },
);

test('past the retention all of a part goes but what waits and dead letters, portion by portion, whoever is killed between', async () => {
  const kept = await Promise.all(
    [0, 1, 2, 3, 4].map(async (i) =>
      write({ at: NOW - i * DAY_MS, status: ['PENDING', 'HELD', 'DEAD'][i % 3] as string }),
    ),
  );
  const gone = [
    await write({ at: NOW, status: 'DELIVERED' }),
    await write({ at: NOW, status: 'DISCARDED' }),
    await write({ at: NOW - 400 * DAY_MS, status: 'DEAD' }),
  ];
  const later = await write({ at: THIS_WEEK + WEEK_MS, status: 'DELIVERED' });
  const before = await placesOf([...kept, ...gone, later]);
  assert.deepEqual(before.slice(0, 3), ['first PENDING', 'first HELD', 'first DEAD']);
  const rests: number[] = [];
  const at = (ms: number) => ({ time: () => ms, portion: 2, rest: async (pause: number) => void rests.push(pause) });

  const almost = THIS_WEEK + WEEK_MS + 90 * DAY_MS - 1;
  await keep(keeper(at(almost)));
  assert.deepEqual(await placesOf([...kept, ...gone, later]), before, 'not a millisecond earlier');

  rests.length = 0;
  // The first step takes the part off and moves two rows; then the process is killed.
  assert.equal(await keeper(at(almost + 1)).step(), true);
  assert.equal((await placesOf(kept)).filter((p) => p !== null).length, 2);
  assert.deepEqual(await placesOf(gone), [null, null, null]);
  assert.equal(rests.length, 1);
  const steps = await keep(keeper(at(almost + 1)));
  assert.equal(rests.length, 1 + steps, 'it leaves the database to others after each portion, and not at the end');
  assert.ok(rests.every((ms) => ms > 0 && ms <= 1000));
  assert.deepEqual(await placesOf([...kept, ...gone, later]), [
    ...before.slice(0, 5).map((p) => p?.replace('first', 'rest')),
    null,
    null,
    null,
    before.at(-1),
  ]);
  assert.deepEqual(await tablesOf('webhook_deliveries_first'), []);
  const range = await rangeOfWaiting(db, 'PENDING', new Date(almost));
  assert.ok(range.from <= (kept[0] as string), 'what waits in the rest is still claimed');

  // What ends in the rest is kept as long again, from then on.
  const ended = almost - 10 * DAY_MS;
  await sql`update webhook_deliveries set status = 'DELIVERED', updated_at = ${new Date(ended)} where id = ${kept[0]}`.execute(
    db,
  );
  await keep(keeper(at(ended + 90 * DAY_MS)));
  assert.notEqual((await placesOf(kept))[0], null);
  await keep(keeper(at(ended + 90 * DAY_MS + 1)));
  assert.equal((await placesOf(kept))[0], null);
  assert.equal((await placesOf(kept)).filter((p) => p !== null).length, 4);
  await keep(keeper(at(NOW + 366 * DAY_MS)));
  assert.deepEqual(
    (await placesOf(kept)).map((p) => p?.split(' ')[1] ?? null),
    [null, 'HELD', null, 'PENDING', 'HELD'],
  );
});

test('nothing is removed that is past its time only by one of the two clocks', async () => {
  const part = partOf(THIS_WEEK - 20 * WEEK_MS);
  assert.equal(await addPart(db, part), 'added');
  const has = async (): Promise<boolean> => (await partsOf(db)).some((p) => p.name === part.name);
  await keep(keeper({ clock: { now: () => NOW - 100 * DAY_MS } }));
  assert.equal(await has(), true);
  await keep(keeper());
  assert.equal(await has(), false);
});

test('a delivery that is claimed while its part waits for the lock keeps the part', onlyPostgres, async () => {
  const { name, one } = await oldPart(58, 0);
  const id = await write({ at: THIS_WEEK + 58 * WEEK_MS, status: 'PENDING' });
  const isWaiting = async (): Promise<boolean> => {
    const { rows } =
      await sql`select from pg_locks where not granted and relation = 'webhook_deliveries'::regclass`.execute(db);
    return rows.length > 0;
  };
  const { dropping } = await inTransaction(db, async (claim) => {
    await sql`update webhook_deliveries set lease_owner = 'n', lease_until = now() + interval '1 hour' where id = ${id}`.execute(
      claim,
    );
    let isOver = false;
    const dropped = dropPart(db, name, { deadFrom: LEAST_ID, portion: 2 })
      .catch(isBusy)
      .finally(() => (isOver = true));
    while (!isOver && !(await isWaiting()));
    return { dropping: dropped };
  });
  // Busy where the claim took longer than it waits.
  await dropping;
  assert.ok((await partsOf(db)).some((p) => p.name === name));
  await sql`update webhook_deliveries set lease_until = now() where id = ${id}`.execute(db);
  await keep(one);
  assert.deepEqual(await placesOf([id]), ['rest PENDING']);
});

test('the longest retention of all accounts decides; 0 keeps everything', async () => {
  const week = THIS_WEEK + WEEKS_AHEAD * WEEK_MS;
  const id = await write({ at: week, status: 'DELIVERED' });
  const account = uuidv7(NOW);
  await sql`insert into accounts (id, name, type, created_at) values (${account}, 'Long', 'MERCHANT', now())`.execute(
    db,
  );
  await keep(keeper({ time: () => week }));
  assert.deepEqual(await placesOf([id]), [`${nameOf(week)} DELIVERED`]);
  const end = week + WEEK_MS + 90 * DAY_MS;
  await keep(keeper({ time: () => end + 10_000 * DAY_MS, retentionDays: 0 }));
  assert.notDeepEqual(await placesOf([id]), [null]);
  await db.transaction().execute((trx) => saveRetention(trx, account, 200, new Date(NOW)));
  await keep(keeper({ time: () => end }));
  assert.notDeepEqual(await placesOf([id]), [null]);
  await keep(keeper({ time: () => end + 110 * DAY_MS }));
  assert.deepEqual(await placesOf([id]), [null]);
  await db.transaction().execute((trx) => saveRetention(trx, account, null, new Date(NOW)));
});

test('nothing is removed while an attempt of it is under way, or its events are not fanned out', async () => {
  const week = THIS_WEEK + 60 * WEEK_MS;
  const end = week + WEEK_MS + 90 * DAY_MS;
  const [id, leased] = [
    await write({ at: week, status: 'DELIVERED' }),
    await write({ at: week, status: 'PENDING', leased: true }),
  ];
  await keep(keeper({ time: () => week }));
  const place = `${nameOf(week)} DELIVERED`;
  await keep(keeper({ time: () => end }));
  assert.deepEqual(await placesOf([id]), [place], 'leased');
  await sql`update webhook_deliveries set lease_until = now() where id = ${leased}`.execute(db);

  const position = 1_000_000;
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    values (${position}, ${leastUuidv7(week)}, 'offer.created', '{}', '{}', now(), now(), 'r')`.execute(db);
  await keep(keeper({ time: () => end }));
  assert.deepEqual(await placesOf([id]), [place], 'behind the cursor of the fan-out');
  await sql`insert into event_readers (name, position, updated_at) values ('webhook-fan-out', ${position}, now())`.execute(
    db,
  );
  await keep(keeper({ time: () => end }));
  assert.deepEqual(await placesOf([id, leased]), [null, 'rest PENDING']);
});

test(
  'a long reader holds nobody up: the storage is seen to later, and what is written goes on',
  onlyPostgres,
  async () => {
    const week = THIS_WEEK + 90 * WEEK_MS;
    const parts = async () => (await partsOf(db)).map((p) => p.name);
    const before = await parts();
    let written: string | undefined;
    const rests: number[] = [];
    const one = keeper({ time: () => week, rest: async (ms) => void rests.push(ms) });
    await db.transaction().execute(async (trx) => {
      await sql`select count(*) from webhook_deliveries`.execute(trx);
      const tries = keep(one);
      written = await write({ at: week + DAY_MS, status: 'DELIVERED' });
      assert.equal(await tries, 9, 'ten tries, then it is left for ten minutes');
      assert.deepEqual(await parts(), before);
    });
    assert.deepEqual(rests, Array(9).fill(1000), 'others have a second after each');
    assert.notEqual((await placesOf([written ?? '']))[0], null);
    await keep(keeper({ time: () => week }));
    assert.ok((await parts()).includes(partOf(week).name));
  },
);

test('a table of an operator’s own making is left alone, whatever its name', async () => {
  await sql`create table webhook_deliveries_20250106 as select * from webhook_deliveries limit 0`.execute(db);
  await sql`create table webhook_deliveries_20250113 (id int)`.execute(db);
  await keep(keeper());
  const { rows } =
    await sql`select from pg_class where relname in ('webhook_deliveries_20250106', 'webhook_deliveries_20250113')`.execute(
      db,
    );
  assert.equal(rows.length, 2);
  await sql`drop table webhook_deliveries_20250106, webhook_deliveries_20250113`.execute(db);
});
