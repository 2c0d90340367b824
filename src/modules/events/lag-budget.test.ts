import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { ManualClock } from '../../lib/clock.ts';
import { LagBudget } from './lag-budget.ts';

const { db } = await withDatabase();
const clock = new ManualClock();
const budget = (max: number, ...readers: string[]): LagBudget => {
  const made = new LagBudget({ db, clock, max });
  for (const reader of readers) made.count(reader);
  return made;
};
const isRefused = (of: LagBudget): Promise<boolean> =>
  of.check().then(
    () => false,
    (error: { code: string; headers: Record<string, string> }) => {
      assert.deepEqual([error.code, error.headers['retry-after']], ['UNAVAILABLE', '5']);
      return true;
    },
  );
const logIsAt = (position: number) => sql`select setval('event_positions', ${position})`.execute(db);
const readerIsAt = (name: string, position: number) =>
  sql`insert into event_readers (name, position, updated_at) values (${name}, ${position}, now())
    on conflict (name) do update set position = excluded.position`.execute(db);

test('an empty log, and a reader that never ran', async () => {
  assert.equal(await isRefused(budget(1, 'new')), false);
  await logIsAt(11);
  assert.equal(await isRefused(budget(10, 'new')), true, 'nobody delivers at all');
  assert.equal(await isRefused(budget(11, 'new')), false);
});

test('the slowest of the readers that count decides; others may be as late as they like', async () => {
  await logIsAt(1000);
  await readerIsAt('fast', 1000);
  await readerIsAt('slow', 500);
  await readerIsAt('rebuilt', 0);
  assert.equal(await isRefused(budget(499, 'fast', 'slow')), true);
  assert.equal(await isRefused(budget(500, 'fast', 'slow')), false);
  assert.equal(await isRefused(budget(1, 'fast')), false);
  assert.equal(await isRefused(budget(1)), false);
  assert.equal(await isRefused(budget(0, 'slow')), false, '0 is no budget');
});

test('it looks again after a second, also when the clock was set back', async () => {
  await readerIsAt('slow', 500);
  const of = budget(100, 'slow');
  assert.equal(await isRefused(of), true);
  await readerIsAt('slow', 950);
  clock.advance(999);
  assert.equal(await isRefused(of), true);
  clock.advance(1);
  assert.equal(await isRefused(of), false);
  await readerIsAt('slow', 500);
  clock.advance(-3_600_000);
  assert.equal(await isRefused(of), true);
});
