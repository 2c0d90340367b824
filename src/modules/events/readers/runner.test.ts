import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { EVENTS, type InternalEvent } from '../../../contracts/events/index.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { databaseTime, inTransaction } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import { LogSource } from '../log-source.ts';
import { LogTail } from '../log-tail.ts';
import { insertEvents, lastPosition } from '../store.ts';
import type { LoggedEvent, NewEvent } from '../types.ts';
import { listFailures, listReaders, rebuildReader, retryFailure } from './operate.ts';
import type { Reaction } from './reaction.ts';
import { ReactionRunner } from './runner.ts';
import { selectWaits } from './store.ts';
import { TakenReaders } from './taken-readers.ts';

const { db } = await withDatabase();
await sql`create table effects (n serial, reader text, event_id uuid, subject text)`.execute(db);
const clock = new ManualClock('2026-03-01T12:00:00Z');
const newId = (): string => uuidv7(clock.now());
const env = () => ({ now: new Date(clock.now()), newId, requestId: 'test' });

const event = (subject: string, name: InternalEvent = 'checkout.started'): NewEvent => ({
  id: newId(),
  event: name,
  data: { ...EVENTS[name].example, tradeSessionId: subject },
  accountIds: [],
  occurredAt: new Date(clock.now()),
  requestId: `request of ${subject}`,
  causedBy: null,
});
const publish = (...events: (string | NewEvent)[]): Promise<LoggedEvent[]> =>
  insertEvents(
    db,
    events.map((e) => (typeof e === 'string' ? event(e) : e)),
    new Date(clock.now()),
  );

let names = 0;
/** A reaction that writes down what it is given, and fails at what it is told to. */
class Given {
  readonly failing = new Set<string>();
  readonly given: string[] = [];
  readonly reaction: Reaction;
  readonly tail = new LogTail();
  constructor(name = `reader-${++names}`) {
    this.reaction = {
      name,
      description: 'A test.',
      events: ['checkout.started'],
      react: async (trx, { id, data }) => {
        const subject = String(data.tradeSessionId);
        this.given.push(subject);
        await sql`insert into effects (reader, event_id, subject) values (${name}, ${id}, ${subject})`.execute(trx);
        if (this.failing.has(subject)) throw new Error(`cannot do ${subject}`);
      },
      reset: async (trx) => void (await sql`delete from effects where reader = ${name}`.execute(trx)),
    };
  }
  runner(nodeId = 'node'): ReactionRunner {
    const source = new LogSource(db, this.tail, this.reaction.name);
    const taken = new TakenReaders(db, nodeId);
    return new ReactionRunner(this.reaction, { db, clock, log: createLog('silent'), newId, nodeId, source, taken });
  }
  async effects(): Promise<string[]> {
    const { rows } = await sql<{ subject: string }>`
      select subject from effects where reader = ${this.reaction.name} order by n`.execute(db);
    return rows.map((row) => row.subject);
  }
  get reactions(): ReadonlyMap<string, Reaction> {
    return new Map([[this.reaction.name, this.reaction]]);
  }
  failures = async () => (await listFailures(db, this.reaction.name, { after: 0, limit: 100 })).data;
}

const run = async (runner: ReactionRunner): Promise<void> => {
  for (let polled = true; await runner.step(polled); polled = false);
};
/** Failures are looked for twice a second. */
const later = async (runner: ReactionRunner, ms: number): Promise<void> => {
  clock.advance(ms);
  await new Promise((done) => setTimeout(done, 510));
  await run(runner);
};

/** Each begins behind what the others published. */
async function fresh(): Promise<{ given: Given; runner: ReactionRunner }> {
  const given = new Given();
  const runner = given.runner();
  await run(runner);
  await sql`delete from effects`.execute(db);
  given.given.length = 0;
  return { given, runner };
}

beforeEach(() => clock.advance(60_000));

test('each event that is named has its effect once, in the order of the log; others have none', async () => {
  const { given, runner } = await fresh();
  await publish('a', event('x', 'checkout.failed'), 'b', event('y', 'trade.completed'));
  await publish(...Array.from({ length: 120 }, (_, i) => `n${i}`));
  await run(runner);
  const expected = ['a', 'b', ...Array.from({ length: 120 }, (_, i) => `n${i}`)];
  assert.deepEqual(await given.effects(), expected);
  await run(runner);
  await run(given.runner());
  assert.deepEqual(given.given, expected, 'not again');
});

test('a new reader begins at the start of the log', async () => {
  await publish('old');
  const given = new Given();
  await run(given.runner());
  assert.ok((await given.effects()).includes('old'));
});

describe('an event that fails', () => {
  test('stops no other, leaves no half of an effect, and is done later', async () => {
    const { given, runner } = await fresh();
    given.failing.add('bad');
    const [, bad] = await publish('a', 'bad', 'c');
    await run(runner);
    assert.deepEqual(await given.effects(), ['a', 'c']);
    const [failure, ...more] = await given.failures();
    assert.deepEqual(more, []);
    assert.equal(failure?.eventId, bad?.id);
    assert.match(failure?.error ?? '', /cannot do bad/);
    assert.deepEqual(failure?.nextAttemptAt, new Date(clock.now() + 1000));
    given.failing.clear();
    await later(runner, 999);
    assert.deepEqual(await given.effects(), ['a', 'c'], 'not before its time');
    await later(runner, 1);
    assert.deepEqual(await given.effects(), ['a', 'c', 'bad']);
    assert.deepEqual(await given.failures(), []);
  });

  test('is set aside after five more tries, until an operator asks for another', async () => {
    const { given, runner } = await fresh();
    given.failing.add('bad');
    const [bad] = await publish('bad');
    await run(runner);
    for (const wait of [1, 5, 30, 120, 600]) await later(runner, wait * 1000);
    const [failure] = await given.failures();
    assert.deepEqual([failure?.attempts, failure?.nextAttemptAt], [6, null]);
    await later(runner, 86_400_000);
    assert.equal(given.given.length, 6, 'no further try');
    const [reader] = (await listReaders(db, given.reactions)).filter((r) => r.name === given.reaction.name);
    assert.deepEqual([reader?.setAside, reader?.retrying, reader?.lag], [1, 0, 0]);
    const which = { name: given.reaction.name, eventId: (bad as LoggedEvent).id };
    await inTransaction(db, (trx) => retryFailure(trx, which, env()));
    await later(runner, 0);
    const [again] = await given.failures();
    assert.deepEqual(
      [again?.attempts, again?.nextAttemptAt],
      [1, new Date(clock.now() + 1000)],
      'as many tries as at first',
    );
    given.failing.clear();
    await later(runner, 1000);
    assert.deepEqual(await given.effects(), ['bad']);
    await assert.rejects(
      inTransaction(db, (trx) => retryFailure(trx, which, env())),
      { code: 'NOT_FOUND' },
    );
  });
});

test('an event at which a statement takes too long is a failure, and stops no other', onlyPostgres, async () => {
  const { given, runner } = await fresh();
  const { react } = given.reaction;
  given.reaction.react = async (trx, e, with_) => {
    if (e.data.tradeSessionId === 'slow') await sql`set local statement_timeout = '10ms'`.execute(trx);
    if (e.data.tradeSessionId === 'slow') await sql`select pg_sleep(1)`.execute(trx);
    await react(trx, e, with_);
  };
  await publish('a', 'slow', 'c');
  await run(runner);
  assert.deepEqual(await given.effects(), ['a', 'c']);
  assert.equal((await given.failures()).length, 1);
});

describe('a second node', () => {
  test(
    'does not wait for a portion that takes longer than the lease, and undoes nothing of it',
    onlyPostgres,
    async () => {
      const { given, runner } = await fresh();
      const other = given.runner('other');
      const { react } = given.reaction;
      const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      given.reaction.react = async (trx, e, with_) => {
        arrived.resolve();
        await gate.promise;
        await react(trx, e, with_);
      };
      await publish('a', 'b');
      const slow = runner.step(true);
      await arrived.promise;
      assert.equal(await other.step(true), false, 'the cursor is locked');
      gate.resolve();
      await slow;
      assert.deepEqual(await given.effects(), ['a', 'b']);
      given.reaction.react = react;
    },
  );

  test('does nothing while the first has the lease, and takes over when that is released', async () => {
    const { given, runner } = await fresh();
    const other = given.runner('other');
    await publish('a');
    await run(other);
    assert.deepEqual(given.given, []);
    await run(runner);
    await runner.release();
    await publish('b');
    await new Promise((done) => setTimeout(done, 510));
    await run(other);
    assert.deepEqual(await given.effects(), ['a', 'b']);
    await run(runner);
    assert.deepEqual(await given.effects(), ['a', 'b']);
  });

  test('that took over meanwhile: the first does nothing more', async () => {
    const { given, runner } = await fresh();
    await publish('a');
    await sql`update event_readers set lease_owner = 'other' where name = ${given.reaction.name}`.execute(db);
    await runner.step(true);
    assert.deepEqual([given.given, await given.effects()], [[], []]);
  });
});

test('a rebuild forgets and reads from the start, also while a node is at it', async () => {
  const { given, runner } = await fresh();
  await publish('a', 'b');
  await run(runner);
  const all = await lastPosition(db);
  await inTransaction(db, (trx) => rebuildReader(trx, given.reaction.name, given.reactions, env()));
  assert.deepEqual(await given.effects(), []);
  await publish('c');
  await run(runner);
  await new Promise((done) => setTimeout(done, 510));
  await run(runner);
  assert.deepEqual((await given.effects()).slice(-3), ['a', 'b', 'c']);
  const { rows } = await sql`select event_id from effects group by event_id having count(*) > 1`.execute(db);
  assert.deepEqual(rows, [], 'each once');
  assert.ok(all > 3);
  await assert.rejects(
    inTransaction(db, (trx) => rebuildReader(trx, given.reaction.name, new Map(), env())),
    { code: 'INVALID_STATE' },
  );
  await assert.rejects(
    inTransaction(db, (trx) => rebuildReader(trx, 'nobody', new Map(), env())),
    { code: 'NOT_FOUND' },
  );
});

test('a deadlock or a lost connection is nobody’s failure: everything is tried again', onlyPostgres, async () => {
  const { given, runner } = await fresh();
  await publish('a');
  const { react } = given.reaction;
  given.reaction.react = async (trx, e, with_) => {
    await react(trx, e, with_);
    await sql`do $$ begin raise exception 'x' using errcode = 'deadlock_detected'; end $$`.execute(trx);
  };
  await assert.rejects(run(runner));
  assert.deepEqual(await given.failures(), []);
  given.reaction.react = react;
  await run(runner);
  assert.deepEqual(await given.effects(), ['a']);
});

test('an event at which something passing is the matter again and again is a failure in the end, and stops no other', async () => {
  const { given, runner } = await fresh();
  const { react } = given.reaction;
  given.reaction.react = async (trx, e, with_) => {
    await react(trx, e, with_);
    if (e.data.tradeSessionId === 'bad') throw Object.assign(new Error('x'), { code: '40P01' });
  };
  const steps = async (): Promise<number> => {
    for (let thrown = 0; ; thrown++) {
      try {
        await run(runner);
        return thrown;
      } catch {
        assert.ok(thrown < 100, 'it goes on at last');
      }
    }
  };
  await publish('a', 'b', 'bad', 'c');
  assert.ok((await steps()) >= 9, 'not at once');
  assert.deepEqual(await given.effects(), ['a', 'b', 'c']);
  const [failure, ...more] = await given.failures();
  assert.deepEqual([more, failure?.attempts], [[], 1]);
  // Nor when it is tried again, ahead of whatever is new.
  await publish('d');
  clock.advance(1000);
  await new Promise((done) => setTimeout(done, 510));
  assert.equal(await steps(), 1);
  assert.deepEqual(await given.effects(), ['a', 'b', 'c', 'd']);
});

test('positions that were drawn and never filled are nothing to be behind with', async () => {
  const { given, runner } = await fresh();
  await publish('a');
  await sql`select nextval('event_positions')`.execute(db);
  await run(runner);
  await runner.release();
  const reader = (await listReaders(db, given.reactions)).find((r) => r.name === given.reaction.name);
  assert.equal(reader?.lag, 0);
});

test('how long the first event waits for a reader is told, however few there are', async () => {
  const waits = async (): Promise<number | undefined> =>
    (await selectWaits(db)).find(({ name }) => name === 'standing')?.seconds;
  await sql`insert into event_readers (name, position, updated_at)
    values ('standing', ${await lastPosition(db)}, ${new Date(await databaseTime(db))})`.execute(db);
  assert.equal(await waits(), 0);
  const longAgo = new Date((await databaseTime(db)) - 3_600_000);
  const [first] = await insertEvents(db, [event('waits')], longAgo);
  await insertEvents(db, [event('waits less')], new Date(longAgo.getTime() + 600_000));
  const seconds = (await waits()) ?? 0;
  assert.ok(seconds >= 3600 && seconds < 4200, `it waits for ${seconds} s`);
  await sql`update event_readers set position = ${first?.position} where name = 'standing'`.execute(db);
  assert.ok(((await waits()) ?? 0) < 3600);
  await sql`update event_readers set updated_at = now() - interval '32 days' where name = 'standing'`.execute(db);
  assert.equal(await waits(), undefined, 'one of an earlier version');
});
