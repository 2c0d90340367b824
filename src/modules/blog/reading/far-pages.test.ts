import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { foundByDate } from './dated-store.ts';
import { listPosts } from './list-posts.ts';
import type { PublicFilter } from './store.ts';
import { placeOf } from './way-to.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const ALL: PublicFilter = { categoryKey: undefined, tagKeys: [], featured: undefined, authorIds: undefined };
const { now } = env();

before(async () => {
  // Over six years, several at a time, the first 150 of them in the coming months; every tenth is archived.
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at,
      updated_at, changed_at, archived_at)
    select gen_random_uuid(), ${ann.id}, 'p-' || i, 'T', 'c', 'c', t, t, t, t, t, case when i % 10 = 0 then t end
    from (select i, ${now}::timestamptz - (i / 3 - 50) * interval '26 hours' as t from generate_series(1, 6000) as i) as made`.execute(
    db,
  );
  await sql`insert into post_counts (kind, key, name, count)
    select 'all', '', '', count(*) from posts where archived_at is null
    union all select 'month', to_char(published_at at time zone 'UTC', 'YYYY-MM'), '', count(*)
    from posts where archived_at is null group by 2`.execute(db);
  await sql`analyze posts, post_counts`.execute(db);
});

const idsOf = (rows: readonly unknown[]): string[] => (rows as { id: string }[]).map((row) => row.id);

test('a far page is the same as by going there, from either end', async () => {
  const { rows } = await sql`
    select p.id from posts p where p.archived_at is null and p.published_at <= ${now}
    order by p.published_at desc, p.id desc`.execute(db);
  const newest = idsOf(rows);
  const whole = { newest, oldest: newest.toReversed() };
  assert.ok(newest.length > 5000, String(newest.length));
  for (const sort of ['newest', 'oldest'] as const) {
    for (const offset of [1999, 2000, 2001, 2500, 2999, 3000, 4321, newest.length - 30]) {
      for (const fromEnd of [false, true]) {
        const page = { sort, way: 'walk', fromEnd, offset, limit: 20 } as const;
        const found = idsOf((await foundByDate(ALL, now, page).execute(db)).rows);
        const order = fromEnd ? whole[sort].toReversed() : whole[sort];
        assert.deepEqual(found, order.slice(offset, offset + 20), `${sort} ${offset} ${fromEnd}`);
      }
    }
  }
});

test('of the list that readers see, too', async () => {
  const seen = new Set<string>();
  const { total } = await listPosts(db, { page: 1, limit: 100 }, env());
  for (let page = 1; page <= Math.ceil(total / 100); page++) {
    const { data } = await listPosts(db, { page, limit: 100 }, env());
    for (const { slug } of data) seen.add(slug);
  }
  assert.equal(seen.size, total);
});

test('no more than the posts of its month are passed over', async () => {
  const total = 5000;
  const place = placeOf({ offset: 2400, limit: 20, total });
  const statement = foundByDate(ALL, now, { sort: 'newest', way: 'walk', ...place });
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain (analyze) ${statement}`.execute(db);
  const read = rows.map((row) => /posts_newest.*actual .*rows=(\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0).map(Number);
  // The 135 that are scheduled are counted as well; a month has about 75.
  assert.ok(Math.max(...read) <= 150, read.join());
});
