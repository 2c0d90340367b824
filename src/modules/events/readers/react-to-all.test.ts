import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { EVENTS } from '../../../contracts/events/index.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import type { Trx } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import { LogSource } from '../log-source.ts';
import { LogTail } from '../log-tail.ts';
import { insertEvents } from '../store.ts';
import type { LoggedEvent } from '../types.ts';
import { listFailures } from './operate.ts';
import { ReactionRunner } from './runner.ts';
import { TakenReaders } from './taken-readers.ts';

const { db } = await withDatabase();
await sql`create table effects (n serial, reader text, subject text)`.execute(db);
const clock = new ManualClock('2026-03-01T12:00:00Z');
const newId = (): string => uuidv7(clock.now());

const subjectOf = ({ data }: LoggedEvent): string => String(data.tradeSessionId);
const subjects = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `s${from + i}`);
const publish = (names: readonly string[]): Promise<LoggedEvent[]> =>
  insertEvents(
    db,
    names.map((name) => ({
      id: newId(),
      event: 'checkout.started',
      data: { ...EVENTS['checkout.started'].example, tradeSessionId: name },
      accountIds: [],
      occurredAt: new Date(clock.now()),
      requestId: 'r',
      causedBy: null,
    })),
    new Date(clock.now()),
  );

/** A reaction to several events at once that writes down what it is given, and fails at what it is told to. */
function portions(name: string) {
  const failing = new Set<string>();
  const [together, alone]: [string[][], string[]] = [[], []];
  const write = async (trx: Trx, events: readonly LoggedEvent[]): Promise<void> => {
    for (const subject of events.map(subjectOf))
      await sql`insert into effects (reader, subject) values (${name}, ${subject})`.execute(trx);
    const bad = events.map(subjectOf).find((subject) => failing.has(subject));
    if (bad !== undefined) throw new Error(`cannot do ${bad}`);
  };
  const runner = new ReactionRunner(
    {
      name,
      description: 'A test.',
      events: ['checkout.started'],
      async react(trx, event) {
        alone.push(subjectOf(event));
        await write(trx, [event]);
      },
      async reactToAll(trx, events) {
        together.push(events.map(subjectOf));
        await write(trx, events);
      },
    },
    {
      db,
      clock,
      log: createLog('silent'),
      newId,
      nodeId: 'node',
      source: new LogSource(db, new LogTail(), name),
      taken: new TakenReaders(db, 'node'),
    },
  );
  return {
    failing,
    together,
    alone,
    async run(): Promise<void> {
      for (let polled = true; await runner.step(polled); polled = false);
    },
    async effects(): Promise<string[]> {
      const { rows } = await sql<{ subject: string }>`
        select subject from effects where reader = ${name} order by n`.execute(db);
      return rows.map((row) => row.subject);
    },
  };
}

test('a reaction that can is given a whole portion in one transaction, each event once and in order', async () => {
  const reader = portions('whole');
  await reader.run();
  await publish(subjects(0, 620));
  await reader.run();
  assert.deepEqual(
    reader.together.map((portion) => portion.length),
    [500, 120],
  );
  assert.deepEqual([await reader.effects(), reader.alone], [subjects(0, 620), []]);
  await reader.run();
  assert.equal(reader.together.length, 2, 'not again');
});

test('when it fails nothing of it is kept, each is done by itself, and the one that fails stops no other', async () => {
  const reader = portions('failing');
  await reader.run();
  const before = await reader.effects();
  reader.together.length = 0;
  reader.failing.add('s1003');
  await publish(subjects(1000, 1006));
  await reader.run();
  const wanted = subjects(1000, 1006).filter((subject) => subject !== 's1003');
  assert.deepEqual(await reader.effects(), [...before, ...wanted]);
  assert.deepEqual([reader.together.length, reader.alone], [1, subjects(1000, 1006)]);
  const { data } = await listFailures(db, 'failing', { after: 0, limit: 10 });
  assert.deepEqual(
    data.map(({ error }) => /cannot do s1003/.test(error)),
    [true],
  );
});
