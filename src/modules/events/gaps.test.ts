import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { type Db, inTransaction } from '../../platform/db/index.ts';
import { Gaps } from './gaps.ts';
import { LogSource } from './log-source.ts';
import { LogTail } from './log-tail.ts';
import { insertEvents, lastPosition } from './store.ts';
import type { LoggedEvent } from './types.ts';

const { db } = await withDatabase();
const now = new Date(systemClock.now());
const insert = (on: Parameters<typeof insertEvents>[0], ...names: string[]): Promise<LoggedEvent[]> =>
  insertEvents(
    on,
    names.map((name) => ({
      id: uuidv7(systemClock.now()),
      event: 'checkout.started',
      data: { ...EVENTS['checkout.started'].example, tradeSessionId: name },
      accountIds: [],
      occurredAt: now,
      requestId: 'r',
      causedBy: null,
    })),
    now,
  );

/** The readers of one process, at the end of the log, and how many statements they have cost, with how many rows. */
class Process {
  statements = 0;
  rows = 0;
  readonly tail = new LogTail();
  readonly #sources: { source: LogSource; position: number }[];
  constructor(readers: number, position: number, on: Db = db) {
    const counted = on.withPlugin({
      transformQuery: ({ node }) => (this.statements++, node),
      transformResult: async ({ result }) => ((this.rows += result.rows.length), result),
    });
    const gaps = new Gaps(counted);
    this.#sources = Array.from({ length: readers }, (_, i) => {
      const source = new LogSource(counted, this.tail, `reader ${i}`, gaps);
      source.follow(position);
      return { source, position };
    });
  }
  /** What each reads at once when all are woken; `polled`: they look for what they may have missed, too. */
  read(polled: boolean, limit = 100): Promise<unknown[][]> {
    return Promise.all(
      this.#sources.map(async (reader) => {
        const got: unknown[] = [];
        if (polled) reader.source.mayHaveMissed();
        for (let more = true; more; ) {
          const batch = await reader.source.next(reader.position, { limit });
          got.push(...batch.events.map((e) => e.data.tradeSessionId));
          reader.position = batch.events.at(-1)?.position ?? reader.position;
          reader.source.consumed(reader.position);
          more = batch.more;
        }
        return got;
      }),
    );
  }
}
const started = async (readers: number): Promise<Process> => {
  const process_ = new Process(readers, await lastPosition(db));
  await process_.read(true);
  process_.statements = process_.rows = 0;
  return process_;
};
const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value);

test('behind a gap that stays empty, what one reader fetched is read by the others from memory', async () => {
  const readers = await started(4);
  const mine = await insert(db, 'a');
  await sql`select nextval('event_positions')`.execute(db);
  mine.push(...(await insert(db, 'b', 'c')));
  readers.tail.push(mine);
  assert.deepEqual(await readers.read(false), times(4, ['a', 'b', 'c']));
  assert.ok(readers.statements <= 4, `${readers.statements} statements: the rows, who writes, and the rows again`);
  readers.statements = 0;
  readers.tail.push(await insert(db, 'd'));
  assert.deepEqual(await readers.read(false), times(4, ['d']));
  assert.equal(readers.statements, 0);
});

test('events of another node are fetched once for all readers that are about there', async () => {
  const readers = await started(4);
  await insert(db, ...Array.from({ length: 40 }, (_, i) => `n${i}`));
  const all = Array.from({ length: 40 }, (_, i) => `n${i}`);
  assert.deepEqual(await readers.read(true), times(4, all));
  assert.equal(readers.rows, 40);
});

test(
  'while a transaction is open, a wake-up costs one statement, however many readers wait',
  onlyPostgres,
  async () => {
    const readers = await started(5);
    const [opened, ending] = [Promise.withResolvers<LoggedEvent[]>(), Promise.withResolvers<void>()];
    const open = inTransaction(db, async (trx) => {
      opened.resolve(await insert(trx, 'open'));
      await ending.promise;
    });
    const pending = await opened.promise;
    readers.tail.push(await insert(db, 'b'));
    assert.deepEqual(await readers.read(false), times(5, []));
    for (let i = 0; i < 10; i++) {
      readers.tail.push(await insert(db, `c${i}`));
      readers.statements = 0;
      assert.deepEqual(await readers.read(false), times(5, []));
      assert.ok(readers.statements <= 1, `${readers.statements} statements`);
    }
    ending.resolve();
    await open;
    readers.tail.push(pending);
    readers.statements = 0;
    const all = ['open', 'b', ...Array.from({ length: 10 }, (_, i) => `c${i}`)];
    assert.deepEqual(await readers.read(false), times(5, all));
    assert.equal(readers.statements, 0);
  },
);

test('a barrier is not ended by who was asked for before it was raised', onlyPostgres, async () => {
  const gaps = new Gaps(db);
  const position = await lastPosition(db);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writing = async (until: Promise<void>): Promise<{ done: Promise<void> }> => {
    const begun = Promise.withResolvers<void>();
    const done = inTransaction(db, async (trx) => {
      await insert(trx, 'x');
      begun.resolve();
      await until;
    });
    await begun.promise;
    return { done };
  };
  const one = await writing(first.promise);
  assert.equal(await gaps.isDead({ before: position + 2, seen: position + 2 }), false);
  const two = await writing(second.promise);
  const [early, late] = [
    gaps.isDead({ before: position + 2, seen: position + 2 }),
    gaps.isDead({ before: position + 9, seen: position + 9 }),
  ];
  assert.deepEqual([await early, await late], [false, false]);
  first.resolve();
  await one.done;
  assert.equal(await gaps.isDead({ before: position + 2, seen: position + 2 }), true);
  assert.equal(await gaps.isDead({ before: position + 9, seen: position + 9 }), false, 'the second still writes');
  assert.equal(gaps.deadUpTo, position + 2);
  second.resolve();
  await two.done;
  assert.equal(await gaps.isDead({ before: position + 9, seen: position + 9 }), true);
});

test('while everyone publishes, here and elsewhere, no reader misses or repeats an event', onlyPostgres, async () => {
  const here = await started(3);
  const seen: unknown[][] = [[], [], []];
  let running = true;
  const reading = (async () => {
    for (let last = false; !last; ) {
      last = !running;
      const got = await here.read(last || Math.random() < 0.3, 7);
      for (const [i, names] of got.entries()) seen[i]?.push(...names);
    }
  })();
  const wanted = new Set<string>();
  const writer = async (w: number): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      const name = `${w}-${i}`;
      const isLost = (w + i) % 3 === 0;
      const logged: LoggedEvent[] = [];
      await inTransaction(db, async (trx) => {
        logged.push(...(await insert(trx, `${name}-a`)), ...(await insert(trx, `${name}-b`)));
        if (isLost) throw new Error('rolled back');
        wanted.add(`${name}-a`).add(`${name}-b`);
      }).catch((error: Error) => assert.equal(error.message, 'rolled back'));
      // Half of the writers are those of another process.
      if (!isLost && w % 2 === 0) here.tail.push(logged);
    }
  };
  await Promise.all([0, 1, 2, 3].map(writer));
  running = false;
  await reading;
  assert.deepEqual(seen[1], seen[0]);
  assert.deepEqual(seen[2], seen[0]);
  assert.equal(seen[0]?.length, wanted.size);
  assert.deepEqual(new Set(seen[0]), wanted);
});
