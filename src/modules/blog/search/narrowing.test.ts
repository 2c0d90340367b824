import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import { MATCHES_MAX } from './find-matches.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const POSTS = 2600;

/** Two posts, copied: every one has the word "common", one in 400 "rare"; an hour apart, newest first. */
async function fill(): Promise<void> {
  const ann = await blog.writer('Ann', 'EDITOR');
  const rare = await blog.published(ann, { title: 'Common and rare', body: 'x' }, '2026-02-28T00:00:00Z');
  const common = await blog.published(ann, { title: 'Common', body: 'x' }, '2026-02-28T00:00:00Z');
  await sql`
    create table copies as select n, gen_random_uuid() as id, timestamptz '2026-02-28T00:30:00Z' - n * interval '1 hour' as at,
      case when n % 400 = 399 then ${rare.id}::uuid else ${common.id}::uuid end as of
    from generate_series(1, ${POSTS}::integer) n`.execute(db);
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at, updated_at, changed_at)
    select c.id, p.author_id, p.slug || c.n, p.title || ' ' || c.n, p.category, p.category_key, c.at, c.at, c.at, c.at, c.at
    from copies c join posts p on p.id = c.of`.execute(db);
  const period = (mark: string, form: string) => sql`${mark}::text || to_char(c.at at time zone 'utc', ${form}::text)`;
  await sql`
    insert into post_search (post_id, at, version, head, document)
    select c.id, c.at, s.version, s.head, s.document || array_to_tsvector(array[
      ${period('=h', 'YYYY-MM-DD"T"HH24')}, ${period('=d', 'YYYY-MM-DD')}, ${period('=m', 'YYYY-MM')}, ${period('=y', 'YYYY')}])
    from copies c join post_search s on s.post_id = c.of`.execute(db);
  await sql`drop table copies`.execute(db);
  await sql`delete from posts where id = any(${[rare.id, common.id]}::uuid[])`.execute(db);
}
await fill();

const found = async (q: string, sort?: 'newest' | 'oldest') =>
  listPosts(db, { q, page: 1, limit: 100, ...(sort ? { sort } : {}) }, env());

test('of more matches than are looked at, the newest are found, and so many are counted', async () => {
  const { total, data } = await found('common', 'newest');
  assert.equal(total, MATCHES_MAX);
  assert.deepEqual(
    data.map((post) => Number(post.title.split(' ').at(-1))),
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  const last = await listPosts(db, { q: 'common', sort: 'oldest', page: 1, limit: 1 }, env());
  assert.equal(last.data[0]?.title, `Common ${MATCHES_MAX}`);
});

test('of fewer, all are found, however old', async () => {
  const { total, data } = await found('rare', 'oldest');
  assert.equal(total, 6);
  assert.match(data[0]?.title ?? '', / 2399$/);
});

test('what is very common is looked for among the newest', async () => {
  const statements: string[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => (statements.push(JSON.stringify(node)), node),
    transformResult: async ({ result }) => result,
  });
  await listPosts(watched, { q: 'common', page: 1, limit: 20 }, env());
  const searches = statements.filter((s) => s.includes('with found as materialized'));
  assert.equal(searches.length, 1);
  assert.match(searches[0] ?? '', /=d2026-02-27/);
});
