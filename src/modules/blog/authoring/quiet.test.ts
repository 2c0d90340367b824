import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { BlogFixture, POSTS, publishAround } from '../fixtures.ts';
import { foundSorted } from './sorted-store.ts';
import { queryOfManaged } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const quiet = await blog.writer('Ann', 'AUTHOR');

before(() => publishAround(quiet, blog));

for (const status of [undefined, 'PUBLISHED'] as const) {
  test(`an author's posts (${status ?? 'all'}) are listed without what others did since`, async () => {
    const place = { offset: 20, limit: 20 };
    const { now } = env();
    const filter = { authorId: quiet.id, status, ids: undefined, now };
    for (const [sort, statement] of [
      [
        'changed',
        sql<{ id: string }>`select id from ${queryOfManaged(db, filter, { sort: 'changed', ...place })} as page`,
      ],
      ['published', foundSorted({ sort: 'published', authorId: quiet.id, status, now, ...place })],
    ] as const) {
      const plan = await planOf(db, statement);
      assert.ok(mostRead(plan) <= 100, `${sort}: ${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
      const { rows } = await sql<{ id: string }>`${statement}`.execute(db);
      assert.deepEqual(
        rows.map(({ id }) => Number.parseInt(id.slice(-8), 16)),
        Array.from({ length: 20 }, (_, i) => POSTS / 2 - 5 * (20 + i)),
        sort,
      );
    }
  });
}

test('drafts and archived posts of an author who has few are listed without those of others', async () => {
  await sql`
    insert into posts (id, author_id, slug, title, published_at, archived_at, created_at, updated_at, changed_at)
    select gen_random_uuid(), case when i > 3990 then ${quiet.id}::uuid else ${(await blog.writer('Bob', 'AUTHOR')).id}::uuid end,
      'u-' || i, 'T', case when i % 2 = 0 then t end, case when i % 2 = 0 then t end, t, t, t
    from (select i, ${env().now}::timestamptz - i * interval '1 minute' as t from generate_series(1, 4000) as i) as made`.execute(
    db,
  );
  await sql`analyze posts`.execute(db);
  for (const [status, isIt] of [
    ['DRAFT', 1],
    ['ARCHIVED', 0],
  ] as const) {
    const filter = { authorId: quiet.id, status, ids: undefined, now: env().now };
    const query = queryOfManaged(db, filter, { sort: 'changed', offset: 0, limit: 20 });
    const plan = await planOf(db, sql`select slug from ${query} as page`);
    assert.ok(mostRead(plan) <= 10, `${status}: ${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
    assert.deepEqual(
      (await query.execute()).map(({ slug }) => slug),
      [3991, 3993, 3995, 3997, 3999].map((i) => `u-${i + 1 - isIt}`),
    );
  }
});
