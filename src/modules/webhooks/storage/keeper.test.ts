import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { until } from '../../../../test/helpers/engine.ts';
import { systemClock } from '../../../lib/clock.ts';
import { leastUuidv7, uuidv7 } from '../../../lib/ids.ts';
import { databaseTime, inTransaction, isRetryable } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import { Keeper, type KeeperDeps } from './keeper.ts';
import { saveRetention } from '../retention/store.ts';
import { addPart, allowAgain } from './adding-store.ts';
import { isBusy, type Part, partsOf } from './parts-store.ts';
import { areSomeHidden, dropPart, mayBeHidden } from './taking-off-store.ts';
import { rangeIfAny, rangeOfWaiting } from './waiting-store.ts';
import { GREATEST_ID, LEAST_ID, partOf, WEEK_MS, weekOf } from './weeks.ts';

const { db } = await withDatabase();
const DAY_MS = 86_400_000;
const NOW = await databaseTime(db);
const THIS_WEEK = weekOf(NOW);
const ENDPOINT = uuidv7(NOW);

const keeper = (more: Partial<KeeperDeps> = {}): Keeper =>
  new Keeper({
    db,
    clock: systemClock,
    log: createLog('silent'),
    reader: 'webhook-fan-out',
    retentionDays: 90,
    deadLetterDays: 365,
    againMs: 0,
    ...more,
  });

/** Steps until nothing more is to be done at once; returns how many did something. */
async function keep(one: Keeper): Promise<number> {
  let steps = 0;
  while (await one.step()) steps++;
  return steps;
}

interface Written {
  at: number;
  status: string;
  changedAt?: number;
  leased?: boolean;
}

/** Writes a delivery that was made at this time; returns its id. */
async function write({ at, status, changedAt = at, leased = false }: Written): Promise<string> {
  const id = `${leastUuidv7(at).slice(0, 14)}7000-8000-${uuidv7(NOW).slice(24)}`;
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id,
      next_attempt_at, lease_owner, lease_until, created_at, updated_at)
    values (${id}, ${id}, 'offer.created', ${ENDPOINT}, ${ENDPOINT}, ${status}, ${status === 'DELIVERED' ? 1 : 5}, 'r', now(),
      ${leased ? 'somebody' : null}, case when ${leased}::boolean then now() + interval '1 hour' end,
      ${new Date(at)}, ${new Date(changedAt)})`.execute(db);
  return id;
}

/** Of these deliveries, those that are there: the part that each is in, and its status. */
async function placesOf(ids: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ id: string; place: string }>`
    select id, replace(tableoid::regclass::text, 'webhook_deliveries_', '') || ' ' || status as place from webhook_deliveries
    where id = any(${[...ids]}::uuid[])`.execute(db);
  const places = new Map(rows.map((r) => [r.id, r.place]));
  return ids.map((id) => places.get(id) ?? null);
}

/** The table of a part, under that name or the one under which it was taken off. */
async function tablesOf(name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relname like ${`${name}%`}`.execute(db);
  return rows.map((row) => row.name);
}

const nameOf = (week: number): string => partOf(week).name.replace('webhook_deliveries_', '');
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

/** A part of a week long ago with so many HELD deliveries, and a keeper for whom it is past its retention. */
async function oldPart(weeks: number, held: number): Promise<{ name: string; ids: string[]; one: Keeper }> {
  const week = THIS_WEEK + weeks * WEEK_MS;
  await keep(keeper({ time: () => week }));
  const ids: string[] = [];
  for (let i = 0; i < held; i++) ids.push(await write({ at: week + i, status: 'HELD' }));
  const one = keeper({ time: () => week + WEEK_MS + 90 * DAY_MS, portion: 2, rest: async () => undefined });
  return { name: partOf(week).name, ids, one };
}

/** Steps until the part is taken off. */
async function takeOff(one: Keeper, name: string): Promise<void> {
  while ((await partsOf(db)).some((p) => p.name === name)) assert.equal(await one.step(), true);
}

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

test('a week with thousands of deliveries in the rest leaves them there: everybody would wait while they are moved', async () => {
  const week = THIS_WEEK + 200 * WEEK_MS;
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, created_at, updated_at)
    select (${leastUuidv7(week).slice(0, 14)} || '7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, ${ENDPOINT}, 'offer.created', ${ENDPOINT}, ${ENDPOINT},
      'DELIVERED', 1, 'many', now(), now() from generate_series(1, 2001) as i`.execute(db);
  assert.equal(await addPart(db, partOf(week), { isAhead: true }), 'too many');
  const one = keeper({ time: () => week, rest: async () => undefined });
  await keep(one);
  assert.equal(await keep(one), 0, 'and it is no reason to try again and again');
  const has = async (at: number): Promise<boolean> => (await partsOf(db)).some((p) => p.name === partOf(at).name);
  assert.deepEqual([await has(week), await has(week + WEEK_MS)], [false, true]);
  await sql`delete from webhook_deliveries where request_id = 'many' and id > (
    select id from webhook_deliveries where request_id = 'many' order by id offset 1999 limit 1)`.execute(db);
  assert.equal(await addPart(db, partOf(week)), 'added');
  const { rows } = await sql`select from ${sql.table(partOf(week).name)} where request_id = 'many'`.execute(db);
  assert.equal(rows.length, 2000);
  await sql`delete from webhook_deliveries where request_id = 'many'`.execute(db);
});

test('a place for a week to come leaves no mark on the rest, whoever was killed over it', async () => {
  const [killed, next] = [220, 221].map((n) => partOf(THIS_WEEK + n * WEEK_MS)) as [Part, Part];
  const constraints = async () =>
    (
      await sql<{ name: string }>`select conname as name from pg_constraint
        where conrelid = 'webhook_deliveries_rest'::regclass and contype = 'c' order by 1`.execute(db)
    ).rows;
  const before = await constraints();
  const refuse = (part: Part) =>
    sql`alter table webhook_deliveries_rest add constraint ${sql.ref(`without_${part.name}`)}
      check (not (id is not null and id >= ${sql.lit(part.from)} and id < ${sql.lit(part.to)})) not valid`.execute(db);
  await refuse(next);
  await refuse(killed);
  assert.equal(await addPart(db, next, { isAhead: true }), 'added');
  assert.equal((await constraints()).length, before.length + 1);
  // Nobody has added it since: it is let in again before its week comes, and rows with it.
  assert.deepEqual([...(await allowAgain(db, new Set()))], [killed.name], 'it may be under way');
  await allowAgain(db, new Set([killed.name]));
  assert.deepEqual(await constraints(), before);
  const id = await write({ at: THIS_WEEK + 220 * WEEK_MS, status: 'HELD' });
  assert.equal(await addPart(db, killed, { isAhead: true }), 'added');
  assert.deepEqual(await constraints(), before);
  assert.deepEqual(await placesOf([id]), [`${nameOf(THIS_WEEK + 220 * WEEK_MS)} HELD`]);
  await sql`delete from webhook_deliveries where id = ${id}`.execute(db);
});

/** What may not come into the rest. */
const refusedOfRest = async (): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
    where conrelid = 'webhook_deliveries_rest'::regclass and starts_with(conname::text, 'without_')`.execute(db);
  return rows.map(({ name }) => name);
};

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

test('a week that cannot be added keeps no other from it, and its rows may come all the same', async () => {
  const week = THIS_WEEK + 340 * WEEK_MS;
  const part = partOf(week + 2 * WEEK_MS);
  await sql`create table ${sql.table(part.name)} (id int)`.execute(db);
  await assert.rejects(keep(keeper({ time: () => week })), /already exists/);
  assert.deepEqual(await refusedOfRest(), []);
  const has = async (n: number): Promise<boolean> =>
    (await partsOf(db)).some((p) => p.name === partOf(week + n * WEEK_MS).name);
  assert.deepEqual([await has(1), await has(2), await has(3), await has(4)], [true, false, true, true]);
  await sql`drop table ${sql.table(part.name)}`.execute(db);
  await keep(keeper({ time: () => week }));
  assert.ok(await has(2));
});

test('what was on its way into the rest when its week got a part is written again', onlyPostgres, async () => {
  const week = THIS_WEEK + 360 * WEEK_MS;
  const { name, from, to } = partOf(week);
  let writing: Promise<unknown> = Promise.resolve();
  await inTransaction(db, async (trx) => {
    await sql`lock table webhook_deliveries_rest in access exclusive mode`.execute(trx);
    writing = write({ at: week, status: 'DELIVERED' }).catch((error: unknown) => error);
    await until('it waits for the lock', async () => {
      const { rows } =
        await sql`select from pg_locks where not granted and relation = 'webhook_deliveries_rest'::regclass`.execute(
          trx,
        );
      return rows.length > 0;
    });
    await sql`create table ${sql.table(name)} (like webhook_deliveries including defaults including constraints)`.execute(
      trx,
    );
    await sql`alter table webhook_deliveries attach partition ${sql.table(name)} for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(
      trx,
    );
  });
  assert.ok(isRetryable(await writing));
  assert.deepEqual(await placesOf([await write({ at: week, status: 'DELIVERED' })]), [`${nameOf(week)} DELIVERED`]);
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
