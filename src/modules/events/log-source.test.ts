import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDb, withDatabase } from '../../../test/helpers/database.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { Trx } from '../../platform/db/index.ts';
import { Gaps } from './gaps.ts';
import { LogSource } from './log-source.ts';
import { LogTail } from './log-tail.ts';
import { SLOTS, slotOf } from './parts.ts';
import { insertEvents, lastPosition } from './store.ts';
import type { LoggedEvent, NewEvent } from './types.ts';

const { db } = await withDatabase();
const now = new Date(systemClock.now());
const onPostgres = { skip: testDb === 'pglite' && 'the embedded database has one connection' };

const event = (name: string): NewEvent => ({
  id: uuidv7(systemClock.now()),
  event: 'checkout.started',
  data: { ...EVENTS['checkout.started'].example, tradeSessionId: name },
  accountIds: [],
  occurredAt: now,
  requestId: 'test-request',
  causedBy: null,
});
const publish = (...names: string[]): Promise<LoggedEvent[]> => insertEvents(db, names.map(event), now);
/** An account in this slot. */
const idOf = (slot: number): string => `${uuidv7(systemClock.now()).slice(0, -2)}${slot.toString(16).padStart(2, '0')}`;
const names = (events: readonly LoggedEvent[]): unknown[] => events.map((e) => e.data.tradeSessionId);

/** A reader as a process has one, at the end of the log. */
class Reader {
  readonly tail = new LogTail();
  readonly source = new LogSource(db, this.tail, 'reader');
  position = 0;
  static async atEnd(): Promise<Reader> {
    const reader = new Reader();
    reader.position = await lastPosition(db);
    reader.source.follow(reader.position);
    return reader;
  }
  /** What a polled step gives: all that can be had now. */
  async read(limit = 100): Promise<unknown[]> {
    this.source.mayHaveMissed();
    const got: LoggedEvent[] = [];
    for (let more = true; more; ) {
      const batch = await this.source.next(this.position, { limit });
      got.push(...batch.events);
      this.position = batch.upTo;
      more = batch.more;
    }
    return names(got);
  }
}

/** A transaction that stays open until it is told how to end. */
async function openTransaction(): Promise<{ trx: Trx; end(how: 'commit' | 'rollback'): Promise<void> }> {
  const { promise: ending, resolve: end } = Promise.withResolvers<'commit' | 'rollback'>();
  const { promise: opened, resolve: open } = Promise.withResolvers<Trx>();
  const done = db
    .transaction()
    .execute(async (trx) => {
      open(trx);
      if ((await ending) === 'rollback') throw new Error('rolled back');
    })
    .catch((error: Error) => assert.equal(error.message, 'rolled back'));
  return { trx: await opened, end: (how) => (end(how), done) };
}

test('what another process appends is read from the database, in portions', async () => {
  const reader = await Reader.atEnd();
  assert.deepEqual(await reader.read(), []);
  await publish('a', 'b', 'c', 'd', 'e');
  assert.deepEqual(await reader.read(2), ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(await reader.read(), []);
});

test('a reader that nobody woke does not ask the database', async () => {
  const reader = await Reader.atEnd();
  await reader.read();
  await publish('unseen');
  assert.deepEqual((await reader.source.next(reader.position, { limit: 10 })).events, []);
  assert.deepEqual(await reader.read(), ['unseen']);
});

test(
  'an event that commits late is never skipped: the reader waits at the gap, then reads in order',
  onPostgres,
  async () => {
    const reader = await Reader.atEnd();
    const slow = await openTransaction();
    await insertEvents(slow.trx, [event('A')], now);
    await publish('B');
    await publish('C');
    assert.deepEqual(await reader.read(), [], 'A may still come');
    assert.deepEqual(await reader.read(), []);
    await slow.end('commit');
    assert.deepEqual(await reader.read(), ['A', 'B', 'C']);
  },
);

test('when it rolls back, the gap is passed', onPostgres, async () => {
  const reader = await Reader.atEnd();
  await publish('before');
  const slow = await openTransaction();
  await insertEvents(slow.trx, [event('A')], now);
  await publish('B', 'C');
  assert.deepEqual(await reader.read(), ['before'], 'what is before the gap can be read');
  assert.deepEqual(await reader.read(), []);
  await slow.end('rollback');
  assert.deepEqual(await reader.read(), ['B', 'C']);
});

test('several open transactions, ending in any order', onPostgres, async () => {
  const reader = await Reader.atEnd();
  const [first, second, third] = [await openTransaction(), await openTransaction(), await openTransaction()];
  await insertEvents(first.trx, [event('1')], now);
  await insertEvents(second.trx, [event('2')], now);
  await publish('x');
  await insertEvents(third.trx, [event('3')], now);
  await insertEvents(first.trx, [event('1 again')], now);
  await publish('y');
  assert.deepEqual(await reader.read(), []);
  await third.end('commit');
  assert.deepEqual(await reader.read(), []);
  await first.end('commit');
  assert.deepEqual(await reader.read(), ['1'], 'second is still open');
  await second.end('rollback');
  assert.deepEqual(await reader.read(), ['x', '3', '1 again', 'y']);
});

test('a long transaction that publishes nothing holds nobody up', onPostgres, async () => {
  const reader = await Reader.atEnd();
  const elsewhere = await openTransaction();
  await sql`create table elsewhere (a int)`.execute(elsewhere.trx);
  await sql`select nextval('event_positions')`.execute(db);
  await publish('behind the gap');
  assert.deepEqual(await reader.read(), ['behind the gap']);
  const [late] = await insertEvents(elsewhere.trx, [event('late')], now);
  assert.ok(late && late.position > reader.position);
  await publish('after late');
  assert.deepEqual(await reader.read(), [], 'now it does publish');
  await elsewhere.end('commit');
  assert.deepEqual(await reader.read(), ['late', 'after late']);
});

test('positions that a crash left unused do not stop the reader', async () => {
  const reader = await Reader.atEnd();
  await sql`select nextval('event_positions') from generate_series(1, 33)`.execute(db);
  await publish('after the crash');
  assert.deepEqual(await reader.read(), ['after the crash']);
  await sql`select nextval('event_positions')`.execute(db);
  await publish('once', 'more');
  assert.deepEqual(await reader.read(1), ['once', 'more']);
});

test(
  'while everyone publishes at once, two readers see the same events in the same order, none twice',
  onPostgres,
  async () => {
    const readers = [await Reader.atEnd(), await Reader.atEnd()] as const;
    const seen: [unknown[], unknown[]] = [[], []];
    const wanted = new Set<string>();
    let running = true;
    const reading = readers.map(async (reader, i) => {
      while (running) seen[i as 0 | 1].push(...(await reader.read(7)));
      seen[i as 0 | 1].push(...(await reader.read(7)));
    });
    const writer = async (w: number): Promise<void> => {
      for (let i = 0; i < 30; i++) {
        const name = `${w}-${i}`;
        const trx = await openTransaction();
        await insertEvents(trx.trx, [event(`${name}-a`)], now);
        await insertEvents(trx.trx, [event(`${name}-b`)], now);
        const how = (w + i) % 3 === 0 ? 'rollback' : 'commit';
        if (how === 'commit') wanted.add(`${name}-a`).add(`${name}-b`);
        await trx.end(how);
      }
    };
    await Promise.all([0, 1, 2, 3].map(writer));
    running = false;
    await Promise.all(reading);
    assert.deepEqual(seen[0], seen[1]);
    assert.equal(seen[0].length, wanted.size);
    assert.deepEqual(new Set(seen[0]), wanted);
  },
);

test('what this process committed is read from memory, without the database', async () => {
  const reader = await Reader.atEnd();
  const logged = await publish('m1', 'm2', 'm3');
  reader.tail.push(logged);
  assert.deepEqual(names(reader.tail.take(reader.position, 2)), ['m1', 'm2']);
  const gone = new LogSource(
    db.withPlugin({ transformQuery: () => assert.fail('no query is needed'), transformResult: async (r) => r.result }),
    reader.tail,
    'another',
  );
  assert.deepEqual(names((await gone.next(reader.position, { limit: 10 })).events), ['m1', 'm2', 'm3']);
});

/** Tells of each statement that is asked. */
const watched = (onQuery: () => void): typeof db =>
  db.withPlugin({
    transformQuery({ node }) {
      onQuery();
      return node;
    },
    transformResult: async (r) => r.result,
  });

test('what one reader of a process has looked for, no other looks for again', async () => {
  let queries = 0;
  const tail = new LogTail();
  const counted = watched(() => queries++);
  const gaps = new Gaps(counted);
  const start = await lastPosition(db);
  const sources = ['a', 'b', 'c'].map((name) => new LogSource(counted, tail, name, gaps));
  for (const source of sources) source.follow(start);
  const readAll = (from: number) =>
    Promise.all(
      sources.map(async (source) => {
        const got: LoggedEvent[] = [];
        for (let at = from, more = true; more; ) {
          const batch = await source.next(at, { limit: 100 });
          got.push(...batch.events);
          ({ upTo: at, more } = batch);
        }
        return names(got);
      }),
    );
  const wake = (): void => {
    for (const source of sources) source.mayHaveMissed();
  };
  const logged = await publish('a', 'b');
  wake();
  assert.deepEqual(await readAll(start), [
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
  ]);
  assert.equal(queries, 1);
  const end = logged.at(-1)?.position ?? 0;
  await publish('c');
  assert.deepEqual(await readAll(end), [[], [], []], 'nobody told of it');
  assert.equal(queries, 1);
  wake();
  assert.deepEqual(await readAll(end), [['c'], ['c'], ['c']], 'what was found before says nothing of what is told now');
  assert.equal(queries, 2);
});

test('who takes only the first events of a reading gets the others without another', async () => {
  let queries = 0;
  const start = await lastPosition(db);
  const source = new LogSource(
    watched(() => queries++),
    new LogTail(),
    'behind',
  );
  const logged = await publish('a', 'b', 'c', 'd');
  const position = (n: number): number => logged[n]?.position ?? 0;
  const next = async (after: number, slots: ReadonlySet<number> | null = null) => {
    source.mayHaveMissed();
    const { events, upTo, more } = await source.next(after, { limit: 100, slots });
    return { names: names(events), upTo, more };
  };
  assert.deepEqual((await next(start)).names, ['a', 'b', 'c', 'd']);
  const rest = { names: ['b', 'c', 'd'], upTo: position(3), more: true };
  assert.deepEqual(await next(position(0)), rest, 'more: it was told again since');
  await publish('e');
  assert.deepEqual((await next(position(1))).names, ['c', 'd'], 'what came since is behind it');
  assert.equal(queries, 1);
  assert.deepEqual((await next(position(3))).names, ['e']);
  assert.equal(queries, 2);
  assert.deepEqual((await next(position(2))).names, ['d', 'e'], 'a cursor that was set back has it read again');
  assert.equal(queries, 3);
  source.follow(position(3));
  assert.deepEqual((await next(position(3))).names, ['e']);
  assert.equal(queries, 4, 'who begins anew reads anew');
});

test('what was read for some accounts is not taken for what others want', async () => {
  const source = new LogSource(db, new LogTail(), 'some');
  const start = await lastPosition(db);
  const of = (name: string, slot: number): NewEvent => ({ ...event(name), accountIds: [idOf(slot)] });
  await insertEvents(db, [of('1', 1), of('2', 2), of('3', 3)], now);
  const next = async (slots: ReadonlySet<number> | null): Promise<unknown[]> => {
    source.mayHaveMissed();
    return names((await source.next(start, { limit: 100, slots })).events);
  };
  assert.deepEqual(await next(new Set([1, 2])), ['1', '2']);
  assert.deepEqual(await next(new Set([2])), ['1', '2'], 'there may be more');
  assert.deepEqual(await next(new Set([2, 3])), ['2', '3']);
  assert.deepEqual(await next(null), ['1', '2', '3']);
});

test('a reader for some accounts gets their events, and is told how far it has come', async () => {
  const ofSlots = (name: string, ...slots: number[]): NewEvent => ({ ...event(name), accountIds: slots.map(idOf) });
  const reader = await Reader.atEnd();
  const slots = new Set([3, 63]);
  const next = () => reader.source.next(reader.position, { limit: 100, slots });
  const first = await insertEvents(
    db,
    [ofSlots('1', 3), ofSlots('2', 4), ofSlots('3'), ofSlots('4', 0, 63), ofSlots('5', 127), ofSlots('6', 62)],
    now,
  );
  reader.source.mayHaveMissed();
  const batch = await next();
  assert.deepEqual(names(batch.events), ['1', '4', '5'], '127 is slot 63');
  assert.deepEqual(batch, { events: batch.events, upTo: first.at(-1)?.position, more: false });
  reader.position = batch.upTo;
  const others = await insertEvents(db, [ofSlots('7', 1), ofSlots('8', 2)], now);
  reader.source.mayHaveMissed();
  assert.deepEqual(await next(), { events: [], upTo: others.at(-1)?.position, more: false });
  assert.equal(reader.tail.take(first[0]?.position ?? 0, 10).length, 0, 'half a log is not kept for the others');
});

test('a reader for some accounts waits at a gap as any other', onPostgres, async () => {
  const accountIds = [uuidv7(systemClock.now())];
  const reader = await Reader.atEnd();
  const slots = new Set([slotOf(accountIds[0] as string)]);
  const read = async (): Promise<unknown[]> => {
    reader.source.mayHaveMissed();
    const batch = await reader.source.next(reader.position, { limit: 100, slots });
    reader.position = batch.upTo;
    return names(batch.events);
  };
  await insertEvents(db, [{ ...event('before'), accountIds }], now);
  const slow = await openTransaction();
  await insertEvents(slow.trx, [{ ...event('A'), accountIds }], now);
  await insertEvents(db, [{ ...event('B'), accountIds }], now);
  assert.deepEqual(await read(), ['before']);
  assert.deepEqual(await read(), []);
  await slow.end('commit');
  assert.deepEqual(await read(), ['A', 'B']);
});

test('a process that reads for an eighth of the accounts pauses between its readings, unless it is behind', async () => {
  const reader = await Reader.atEnd();
  const slots = new Set(Array.from({ length: SLOTS / 8 }, (_, i) => i));
  const time = async (share: number, limit: number): Promise<number> => {
    const startedAt = performance.now();
    for (let i = 0; i < 4; i++) {
      reader.source.mayHaveMissed();
      reader.position = (await reader.source.next(reader.position, { limit, slots, share })).upTo;
    }
    return performance.now() - startedAt;
  };
  const eighth = await time(1 / 8, 10);
  assert.ok(eighth >= 3 * 49, `${eighth} ms`);
  const all = await Promise.all([time(1, 10), time(1, 10)]);
  assert.ok(Math.min(...all) < 3 * 49, `${all.join(', ')} ms`);
  await new Promise((done) => setTimeout(done, 50));
  await publish('of', 'no', 'one', 'at all');
  const behind = await time(1 / 8, 1);
  assert.ok(behind < 3 * 49, `${behind} ms`);
});

test('memory that has lost its oldest events is made up from the database', async () => {
  const reader = await Reader.atEnd();
  const mine = await publish(...Array.from({ length: 100 }, (_, i) => `e${i}`));
  reader.tail.push(mine.slice(0, 50));
  // The last 16,384 positions are kept: those far above push out what is oldest.
  const [model] = mine;
  assert.ok(model);
  const flood = Array.from({ length: 16_384 + 40 - 1000 }, (_, i) => ({
    ...model,
    position: model.position + 1000 + i,
  }));
  reader.tail.push(flood);
  assert.deepEqual(reader.tail.take(reader.position, 10), [], 'the first 40 are gone');
  assert.equal(reader.tail.take(reader.position + 40, 100).length, 10);
  assert.ok(reader.tail.hasBeyond(reader.position));
  const read = await reader.source.next(reader.position, { limit: 100 });
  assert.deepEqual(names(read.events), names(mine));
});

test('lastPosition is 0 before the first event and then counts also what is not committed', onPostgres, async () => {
  const fresh = await withDatabase();
  assert.equal(await lastPosition(fresh.db), 0);
  await insertEvents(fresh.db, [event('first')], now);
  assert.equal(await lastPosition(fresh.db), 1);
  const open = await openTransaction();
  const [pending] = await insertEvents(open.trx, [event('pending')], now);
  assert.equal(await lastPosition(db), pending?.position);
  await open.end('rollback');
  assert.equal(await lastPosition(db), pending?.position, 'it never goes back');
});
