import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { loadMigrations } from '../../../platform/db/index.ts';
import { AppError } from '../../../contracts/errors.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import { CountChanges } from './counts.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const writers = [await blog.writer('Ann', 'EDITOR'), await blog.writer('Bob', 'EDITOR')] as const;

/** The counts that are kept, and the same counted anew from the posts. */
async function keptAndCounted() {
  const kept = await sql`select kind, key, count from post_counts where count <> 0 order by kind, key`.execute(db);
  const counted = await sql`
    with shown as (select * from posts where archived_at is null and published_at is not null),
    facets as (
      select 'all' collate "C" as kind, '' collate "C" as key from shown
      union all select 'month', to_char(published_at at time zone 'UTC', 'YYYY-MM') from shown
      union all select 'author', author_id::text from shown
      union all select 'featured', '' from shown where featured
      union all select 'category', category_key from shown
      union all select 'category_as', category from shown
      union all select 'tag_as', unnest(tags) from shown
      union all select 'tag', unnest(tag_keys) from shown
      union all select 'draft', unnest(array['', author_id::text]) from posts where published_at is null
      union all select 'archived', unnest(array['', author_id::text]) from posts where archived_at is not null)
    select kind, key, count(*)::integer as count from facets group by kind, key order by kind, key`.execute(db);
  return { kept: kept.rows, counted: counted.rows };
}

/** The rows of each tag, and the same made anew from the posts. */
async function keptAndMadeTags() {
  const kept = await sql`select * from post_tags order by tag_key, post_id`.execute(db);
  const made = await sql`
    select unnest(tag_keys) as tag_key, published_at, id as post_id, category_key, author_id, featured
    from shown_posts order by 1, 3`.execute(db);
  return { kept: kept.rows, made: made.rows };
}

async function keptAndCountedPairs() {
  const kept = await sql`select * from post_pair_counts where count <> 0 order by first, second`.execute(db);
  const counted = await sql`
    with facets as (
      select id, 'a' || author_id::text as facet from shown_posts
      union all select id, 'c' || category_key from shown_posts
      union all select id, 'f' from shown_posts where featured
      union all select id, 't' || unnest(tag_keys) from shown_posts)
    select x.facet collate "C" as first, y.facet collate "C" as second, count(*)::integer as count
    from facets x join facets y on y.id = x.id and x.facet collate "C" < y.facet collate "C"
    group by 1, 2 order by 1, 2`.execute(db);
  return { kept: kept.rows, counted: counted.rows };
}
await sql`create view shown_posts as
  select * from posts where archived_at is null and published_at is not null`.execute(db);

const fields = fc.record(
  {
    category: fc.constantFrom('A', 'a', 'B'),
    tags: fc.subarray(['x', 'X', 'y', 'z']),
    featured: fc.boolean(),
    body: fc.constantFrom('text', 'other text'),
  },
  { requiredKeys: [] },
);
const step = fc.record({
  do: fc.constantFrom(
    'create',
    'create',
    'edit',
    'edit',
    'publish',
    'publish',
    'schedule',
    'unpublish',
    'delete',
    'wait',
  ),
  which: fc.nat({ max: 5 }),
  fields,
});

test('the kept counts equal the posts after any history, and no list counts otherwise', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const ids: string[] = [];
      for (const { do: what, which, fields } of steps) {
        const id = ids[which % Math.max(1, ids.length)] ?? '01890000-0000-7000-8000-000000000000';
        const on = { writer: writers[0], id };
        const at = new Date(blog.clock.now() + (which - 2) * 10_000).toISOString();
        const complete = { title: 'T', body: 'b', category: 'C', ...fields };
        try {
          if (what === 'create') ids.push((await blog.draft(writers[which % 2 ? 0 : 1], complete)).id);
          else if (what === 'wait') blog.clock.advance(10_000 * which);
          else if (what === 'delete') await run((trx) => deletePost(trx, on, env()));
          else if (what === 'unpublish') await run((trx) => unpublishPost(trx, on, env()));
          else if (what === 'edit') await run((trx) => updatePost(trx, { ...on, fields }, env()));
          else await run((trx) => publishPost(trx, { ...on, ...(what === 'schedule' ? { at } : {}) }, env()));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
      }
      const { kept, counted } = await keptAndCounted();
      assert.deepEqual(kept, counted);
      const pairs = await keptAndCountedPairs();
      assert.deepEqual(pairs.kept, pairs.counted);
      const tags = await keptAndMadeTags();
      assert.deepEqual(tags.kept, tags.made);
      for (const query of [
        {},
        { category: 'a' },
        { tag: ['x'] },
        { featured: true },
        { featured: false },
        { author: 'ann' },
        { category: 'a', tag: ['x'] },
        { tag: ['x', 'y'] },
        { tag: ['z'], featured: true },
        { category: 'b', featured: false },
        { featured: false, author: 'ann' },
        { author: 'ann', category: 'a' },
        { author: 'bob', tag: ['y'] },
        { author: 'bob', tag: ['y'], featured: false },
        { category: 'a', tag: ['x', 'z'] },
      ]) {
        const page = await listPosts(db, { page: 1, limit: 100, ...query }, env());
        assert.equal(Math.min(page.total, 100), page.data.length, JSON.stringify(query));
      }
    }),
    { numRuns: 25 },
  );
});

test('a change of what is no part of the public blog does not touch it', () => {
  const draft = {
    publishedAt: null,
    archivedAt: null,
    category: 'a',
    tags: ['x'],
    featured: true,
    authorId: 'ann',
    slug: 'a',
  };
  const shown = { ...draft, publishedAt: new Date(0) };
  const archived = { ...shown, archivedAt: new Date(0) };
  const touches = (...[before, after]: Parameters<CountChanges['move']>) => {
    const changes = new CountChanges(new Date(1));
    changes.move(before, after);
    return changes.touchesPublic;
  };
  assert.deepEqual([touches(null, draft), touches(draft, draft), touches(archived, null)], [false, false, false]);
  assert.deepEqual([touches(draft, shown), touches(shown, shown), touches(shown, archived)], [true, true, true]);
});

async function runMigration(name: string): Promise<void> {
  const migration = (await loadMigrations()).find((one) => one.name.includes(name));
  assert.ok(migration);
  for (const statement of migration.sql.split(/;$/m)) {
    if (statement.trim() !== '') await sql.raw(statement).execute(db);
  }
}

test('the migration that began to count spellings counts those of the posts that are there', async () => {
  await blog.published(writers[0], { category: 'Spelt', tags: ['Spelt', 'other'] });
  await blog.draft(writers[0], { category: 'Hidden', tags: ['Hidden'] });
  await sql`delete from post_counts where kind like '%_as'`.execute(db);
  await runMigration('blog-spellings');
  const { kept, counted } = await keptAndCounted();
  assert.deepEqual(kept, counted);
  const { rows } = await sql`select key, name from post_counts where kind = 'tag_as' and key = 'Spelt'`.execute(db);
  assert.deepEqual(rows, [{ key: 'Spelt', name: 'spelt' }]);
});

test('the migration that began to count pairs counts those of the posts that are there', async () => {
  const tags = ['one', '\u{1F600}', '\uFF5E', '漢'];
  await blog.published(writers[0], { category: 'Paired', tags, featured: true });
  await sql`drop table post_pair_counts`.execute(db);
  await runMigration('pair-counts');
  const { kept, counted } = await keptAndCountedPairs();
  assert.deepEqual(kept, counted);
  for (const tag of tags) {
    const page = await listPosts(db, { page: 1, limit: 100, tag: ['漢', tag] }, env());
    assert.equal(page.total, 1);
  }
});

test('two conditions are counted without their posts', async () => {
  await blog.published(writers[1], { category: 'Many', tags: ['many'], featured: true });
  const total = async (query: object) => (await listPosts(db, { page: 1, limit: 1, ...query }, env())).total;
  await sql`update post_pair_counts set count = count + 1000 where first = 'cmany' or second = 'cmany'`.execute(db);
  assert.equal(await total({ category: 'many', tag: ['many'] }), 1001);
  assert.equal(await total({ category: 'many', featured: true }), 1001);
  assert.equal(await total({ category: 'many', author: 'bob' }), 1001);
  assert.equal(await total({ category: 'many', tag: ['many'], featured: true }), 1);
});
