import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import { conditionOf } from './condition.ts';
import { periodsOf } from './periods.ts';
import { parseQuery } from './query.ts';
import { hasAll } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const AT = new Date('2026-02-28T00:00:00Z');

/** So many posts like this one, an hour apart, from `first` hours before AT on. */
async function copies(of: string, first: number, count: number): Promise<void> {
  const period = (mark: string, form: string) => sql`${mark}::text || to_char(c.at at time zone 'utc', ${form}::text)`;
  await sql`create table copies as select gen_random_uuid() as id, n, ${AT}::timestamptz - n * interval '1 hour' as at
    from generate_series(${first}::integer, ${first + count - 1}::integer) n`.execute(db);
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at, updated_at, changed_at)
    select c.id, p.author_id, p.slug || c.n, p.title, p.category, p.category_key, c.at, c.at, c.at, c.at, c.at
    from copies c join posts p on p.id = ${of}`.execute(db);
  await sql`
    insert into post_search (post_id, at, version, head, document)
    select c.id, c.at, s.version, s.head, ts_delete(s.document, ${periodsOf(AT)}::text[]) || array_to_tsvector(array[
      ${period('=h', 'YYYY-MM-DD"T"HH24')}, ${period('=d', 'YYYY-MM-DD')}, ${period('=m', 'YYYY-MM')}, ${period('=y', 'YYYY')}])
    from copies c join post_search s on s.post_id = ${of}`.execute(db);
  await sql`drop table copies`.execute(db);
}

const ann = await blog.writer('Ann', 'EDITOR');
const draft = async (body: string): Promise<string> =>
  (await blog.published(ann, { title: 'Notes', body }, AT.toISOString())).id;
await copies(await draft('A wine, and red at that.'), 1, 800);
await copies(await draft('A red wine, and red wine again.'), 900, 60);
await copies(await draft('A wine of the red kind: red grape, dry wine.'), 1000, 700);
await copies(await draft('A dry red.'), 2000, 3);

const total = async (q: string): Promise<number> => (await listPosts(db, { q, page: 1, limit: 1 }, env())).total;

test('a phrase is found behind several hundred newer posts that have its words in another order', async () => {
  // Sixty copies and what they are copied from.
  assert.equal(await total('"red wine"'), 61);
});

test('a phrase in a title is found however many newer posts have its words, by the index alone', async () => {
  const old = await blog.published(
    ann,
    { title: 'On node.js and the grape barn house', body: 'x' },
    '2019-02-28T00:00:00Z',
  );
  assert.equal(await total('"grape barn"'), 1);
  assert.equal(await total('"js and the"'), 1);
  assert.equal(await total('"barn grape"'), 0);
  const condition = conditionOf(parseQuery('"grape barn house"'), new Map(), { inTitle: true });
  assert.deepEqual(condition.index, ["('^grape barn')", "('^barn house')"]);
  const { rows } = await sql<{ id: string }>`
    select post_id as id from post_search s where ${hasAll(condition)}`.execute(db);
  assert.deepEqual(
    rows.map(({ id }) => id),
    [old.id],
  );
});

test('so is one of the oldest of more than five hundred posts that have its words', async () => {
  // Three copies and what they are copied from, among 705 that have both words.
  assert.equal(await total('"dry red"'), 4);
  assert.equal(await total('"grape red"'), 0);
});
