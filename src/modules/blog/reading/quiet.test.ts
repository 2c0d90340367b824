import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { BlogFixture, POSTS, publishAround } from '../fixtures.ts';
import { foundByDate } from './dated-store.ts';
import { byId, withRelated } from './detail-store.ts';
import type { PublicFilter } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const quiet = await blog.writer('Ann', 'AUTHOR');
const ALL: PublicFilter = { categoryKey: undefined, tagKeys: [], featured: undefined, authorIds: undefined };

before(() => publishAround(quiet, blog));

for (const [what, filter] of [
  ['a category', { ...ALL, categoryKey: 'c1' }],
  ['an author', { ...ALL, authorIds: [quiet.id] }],
] as const) {
  test(`the posts of ${what} are found without those of others, also where all that is new is of others`, async () => {
    for (const sort of ['newest', 'oldest'] as const) {
      for (const fromEnd of [false, true]) {
        const statement = foundByDate(filter, env().now, { sort, fromEnd, offset: 20, limit: 20, way: 'walk' });
        const plan = await planOf(db, statement);
        assert.ok(mostRead(plan) <= 40, `${sort}: ${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
        const { rows } = await sql<{ id: string }>`${statement}`.execute(db);
        const newestFirst = (sort === 'newest') !== fromEnd;
        assert.deepEqual(
          rows.map(({ id }) => Number.parseInt(id.slice(-8), 16)),
          Array.from({ length: 20 }, (_, i) => (newestFirst ? POSTS / 2 - 5 * (20 + i) : 5 * (21 + i))),
        );
      }
    }
  });
}

test('of the detail of a post the latest of its category are read, and no others', async () => {
  const { rows } = await sql<{ id: string }>`select id from posts where category_key = 'c1' limit 1`.execute(db);
  const plan = await planOf(db, withRelated(byId(rows[0]?.id as string), env().now));
  assert.ok(mostRead(plan) <= 300, `${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
});
