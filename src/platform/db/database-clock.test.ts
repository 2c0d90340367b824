import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { withDatabase } from '../../../test/helpers/database.ts';
import { DatabaseClock, followDatabaseClock } from './database-clock.ts';
import { databaseTime } from './database-time.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

/** A machine with a clock that can be set, beside a database that has its own time and takes a while to answer. */
function machine({ own = 0, took = 0 }: { own?: number; took?: number } = {}) {
  const wall = new ManualClock(START + own);
  const database = new ManualClock(START);
  let mono = 5000;
  let isAway = false;
  const said: string[] = [];
  let asked = 0;
  const pass = (ms: number): void => {
    mono += ms;
    wall.advance(ms);
    database.advance(ms);
  };
  const clock = new DatabaseClock({
    ask: async () => {
      asked++;
      if (isAway) throw new Error('away');
      pass(took / 2);
      const now = database.now();
      pass(took / 2);
      return now;
    },
    log: {
      warn: (fields: object) => said.push(`warn ${JSON.stringify(fields)}`),
      info: () => said.push('info'),
    } as never,
    own: wall,
    monotonic: () => mono,
  });
  return {
    clock,
    wall,
    database,
    said,
    pass,
    asked: () => asked,
    goAway: (away: boolean) => (isAway = away),
    /** A machine that sleeps: only what is outside of it goes on. */
    sleep: (ms: number) => (wall.advance(ms), database.advance(ms)),
  };
}

describe('the clock of the database', () => {
  test('is followed from the first answer on, however far the clock of the machine is off, and goes on by itself', async () => {
    for (const own of [-400 * DAY, -3000, 0, 3000, 400 * DAY]) {
      const { clock, database, pass } = machine({ own });
      assert.equal(clock.now(), START + own);
      await clock.read();
      assert.equal(clock.now(), START);
      pass(9_999.6);
      assert.equal(clock.now(), Math.floor(database.now()));
      assert.equal(Math.round((clock.offset[0] ?? 0) + own), 0);
    }
  });

  test('is the same when the clock of the machine is set, for threads too, and the database is asked once for that', async () => {
    const { clock, wall, database, pass, asked } = machine();
    await clock.read();
    wall.advance(3 * DAY);
    pass(100);
    assert.equal(clock.now(), database.now());
    assert.equal(wall.now() + (clock.offset[0] ?? 0), database.now());
    clock.now();
    await clock.read();
    assert.equal(asked(), 2);
    assert.equal(clock.now(), database.now());
  });

  test('is asked for when the machine has slept', async () => {
    const { clock, database, sleep } = machine();
    await clock.read();
    sleep(DAY);
    assert.equal(clock.now(), database.now() - DAY);
    // That reading has asked.
    await clock.read();
    assert.equal(clock.now(), database.now());
  });

  test('goes on while the database is away, which is not asked for each reading', async () => {
    const { clock, wall, database, pass, asked, goAway } = machine({ own: DAY });
    await clock.read();
    goAway(true);
    wall.advance(DAY);
    for (let i = 0; i < 100; i++) {
      pass(10);
      assert.equal(clock.now(), database.now());
      await new Promise(setImmediate);
    }
    assert.equal(asked(), 2);
  });

  test('does not jump by an answer that took long, and does by one that differs by more', async () => {
    const { clock, database } = machine({ took: 4000 });
    await clock.read();
    const off = () => clock.now() - database.now();
    database.advance(1500);
    await clock.read();
    assert.equal(off(), -1500);
    database.advance(1500);
    await clock.read();
    assert.equal(off(), 0);
  });

  test('is told of when it differs from that of the machine, and when it does not any more, once each', async () => {
    const { clock, wall, said } = machine({ own: -60_000 });
    for (let i = 0; i < 3; i++) await clock.read();
    assert.deepEqual(said, ['warn {"databaseIsAheadBySeconds":60}']);
    wall.advance(60_000);
    for (let i = 0; i < 3; i++) await clock.read();
    assert.deepEqual(said, ['warn {"databaseIsAheadBySeconds":60}', 'info']);
  });
});

test('a database is followed, and a metric tells how far it is ahead', async () => {
  const { db } = await withDatabase();
  const metrics = new Registry();
  const { clock, stop } = await followDatabaseClock(db, { warn: assert.fail, info: assert.fail }, metrics);
  stop();
  const before = await databaseTime(db);
  const now = clock.now();
  // A busy machine may have taken a while for the first answer.
  assert.ok(Math.abs(now - before) < 2000, `${now - before} ms`);
  assert.ok(Math.abs(systemClock.now() + (clock.offset[0] ?? 0) - clock.now()) <= 2);
  assert.match(await metrics.metrics(), /^posthorn_database_clock_ahead_seconds -?[\d.e-]+$/m);
});
