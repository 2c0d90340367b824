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
  let slept = 0;
  let during: (() => void) | undefined;
  const said: string[] = [];
  let asked = 0;
  const pass = (ms: number): void => {
    mono += ms;
    wall.advance(ms);
    database.advance(ms);
  };
  const sleep = (ms: number): void => {
    wall.advance(ms);
    database.advance(ms);
    slept += ms;
  };
  const clock = new DatabaseClock({
    ask: async () => {
      asked++;
      if (isAway) throw new Error('away');
      pass(took / 2);
      const now = database.now();
      const happened = during;
      during = undefined;
      happened?.();
      pass(took / 2);
      return now;
    },
    log: {
      warn: (fields: object) => said.push(`warn ${JSON.stringify(fields)}`),
      info: () => said.push('info'),
    } as never,
    own: wall,
    monotonic: () => mono,
    uptime: () => Math.floor((mono + slept) / 1000) * 1000,
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
    sleep,
    /** What happens between the next question and its answer. */
    happens: (what: () => void) => (during = what),
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
    await new Promise(setImmediate);
    assert.equal(asked(), 2);
    assert.equal(clock.now(), database.now());
  });

  test('goes on by what the machine has slept, and is asked for until there is an answer', async () => {
    const { clock, database, sleep, pass, asked, goAway } = machine({ own: -DAY });
    await clock.read();
    goAway(true);
    sleep(DAY);
    assert.ok(Math.abs(clock.now() - database.now()) <= 1000, `${clock.now() - database.now()} ms`);
    await new Promise(setImmediate);
    for (let i = 0; i < 25; i++) {
      pass(100);
      clock.now();
      await new Promise(setImmediate);
    }
    assert.equal(asked(), 4, 'once, when it woke, and each second');
    goAway(false);
    pass(1000);
    clock.now();
    await new Promise(setImmediate);
    assert.equal(clock.now(), database.now());
    pass(5000);
    clock.now();
    assert.equal(asked(), 5, 'not in doubt any more');
  });

  test('believes no answer from before the machine slept', async () => {
    const { clock, database, sleep, happens } = machine();
    await clock.read();
    happens(() => sleep(3_600_000));
    await clock.read();
    assert.ok(Math.abs(clock.now() - database.now()) <= 1000, `${clock.now() - database.now()} ms`);
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

  test('is not asked again and again where it hangs', async () => {
    const wall = new ManualClock(START);
    let [asked, mono] = [0, 0];
    const hangs = () => (asked++, new Promise<number>(() => undefined));
    const log = { warn: assert.fail, info: assert.fail };
    const clock = new DatabaseClock({ ask: hangs, log, own: wall, monotonic: () => mono, uptime: () => mono });
    wall.advance(DAY);
    for (let i = 0; i < 100; i++) {
      mono += 1000;
      wall.advance(1000);
      assert.equal(clock.now(), START + mono);
    }
    assert.equal(asked, 3);
    assert.equal(clock.isAsking, true);
  });

  test('does not jump by an answer that took long, and does by one that differs by more', async () => {
    const { clock, database } = machine({ took: 4000 });
    const off = () => clock.now() - database.now();
    await clock.read();
    assert.equal(off(), 0, 'the first one neither');
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
