import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { systemClock } from '../../../lib/clock.ts';
import { BlogFixture } from '../fixtures.ts';
import { countersAndRows } from './fixtures.ts';
import { GroupCommit } from './group-commit.ts';
import { HALF_LIFE_MS } from './trend.ts';

const blog = new BlogFixture(await withDatabase());
const { db } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
const YEAR_MS = 365 * HALF_LIFE_MS;
const viewBy = (now: () => number, slug: string) =>
  new GroupCommit({ db, clock: { now } }).add({ action: { kind: 'view', slug } });

const trendOf = async (id: string): Promise<number> => {
  const { rows } = await sql<{ trend: number }>`select trend from post_counters where post_id = ${id}`.execute(db);
  return (rows[0] as { trend: number }).trend;
};
/** Half-lives since 1970; the database has the time of the machine. */
const present = () => systemClock.now() / HALF_LIFE_MS;

test('a view by a clock that is a year ahead counts as one of now', async () => {
  const slug = 'viewed';
  const { id } = await blog.published(editor, { slug });
  await viewBy(() => systemClock.now() + YEAR_MS, slug);
  assert.ok(Math.abs((await trendOf(id)) - present()) < 0.1);
  const { rows } = await sql<{
    ahead: boolean;
  }>`select day > now() + interval '2 days' as ahead from post_views`.execute(db);
  assert.deepEqual(rows, [{ ahead: false }]);
});

test('a post that such a view has put above all others for a year is among them again with the next one', async () => {
  const slug = 'pinned';
  const { id } = await blog.published(editor, { slug });
  await viewBy(() => systemClock.now(), slug);
  await sql`update post_counters set trend = trend + 365 where post_id = ${id}`.execute(db);
  await sql`update post_views set day = day + 365 where post_id = ${id}`.execute(db);
  await viewBy(() => systemClock.now(), slug);
  const trend = await trendOf(id);
  assert.ok(trend > present() - 1 && trend < present() + 1.1, `${trend} at ${present()}`);
  for (const { counters, rows } of await countersAndRows(db)) assert.deepEqual(counters, rows);
});
