import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { BlogFixture } from '../fixtures.ts';
import { foundByDate } from './dated-store.ts';
import { byId, withRelated } from './detail-store.ts';
import type { PublicFilter } from './store.ts';

const POSTS = 20_000;
const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const quiet = await blog.writer('Ann', 'AUTHOR');
const ALL: PublicFilter = { categoryKey: undefined, tagKeys: [], featured: undefined, authorIds: undefined };

/** A fifth of the older half of all is of an author and a category of which nothing came since; the newest were stored first, as by an import. */
before(async () => {
  const others = await Promise.all(['Bob', 'Eve', 'Zoe'].map((name) => blog.writer(name, 'AUTHOR')));
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at,
      updated_at, changed_at)
    select ('0198c2a0-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, (${[quiet, ...others].map(({ id }) => id)}::uuid[])[which], 'p-' || i,
      'T', 'c' || which, 'c' || which, t, t, t, t, t
    from (
      select i, case when i % 5 = 0 and i <= ${POSTS / 2}::integer then 1 else 2 + i % 3 end as which,
        ${env().now}::timestamptz - (${POSTS}::integer - i) * interval '1 minute' as t
      from generate_series(1, ${POSTS}::integer) as i order by i desc
    ) as made`.execute(db);
  await sql`analyze posts`.execute(db);
});

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
