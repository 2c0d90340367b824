import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { BlogFixture } from '../fixtures.ts';
import { foundSorted } from './sorted-store.ts';
import { queryOfManaged } from './store.ts';

const POSTS = 20_000;
const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const quiet = await blog.writer('Ann', 'AUTHOR');

/** A fifth of the older half of all is of an author who wrote nothing since; the newest were stored first, as by an import. */
before(async () => {
  const others = await Promise.all(['Bob', 'Eve', 'Zoe'].map((name) => blog.writer(name, 'AUTHOR')));
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at,
      updated_at, changed_at)
    select ('0198c2a0-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, (${[quiet, ...others].map(({ id }) => id)}::uuid[])[which], 'p-' || i,
      'T', 'C', 'c', t, t, t, t, t
    from (
      select i, case when i % 5 = 0 and i <= ${POSTS / 2}::integer then 1 else 2 + i % 3 end as which,
        ${env().now}::timestamptz - (${POSTS}::integer - i) * interval '1 minute' as t
      from generate_series(1, ${POSTS}::integer) as i order by i desc
    ) as made`.execute(db);
  await sql`analyze posts`.execute(db);
  await sql`analyze post_counters`.execute(db);
});

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
