import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { listManagedPosts } from '../authoring/list-managed-posts.ts';
import { findManaged } from './find-managed.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const [ann, ben] = [await blog.writer('Ann', 'AUTHOR'), await blog.writer('Ben', 'AUTHOR')];

test('a scheduled post is found behind hundreds of others that are due before it', async () => {
  const at = (days: number): string => new Date(env().now.getTime() + days * 86_400_000).toISOString();
  const far = await blog.published(ann, { title: 'Harvest of december' }, at(400));
  const near = await blog.published(ben, { title: 'Harvest' }, at(1));
  // As many others as it, with the document that the service has made of it: to write each takes a hundred times as long.
  await sql`
    with made as (
      insert into posts (id, author_id, slug, title, category, category_key, published_at, created_at, updated_at, changed_at)
      select gen_random_uuid(), author_id, slug || '-' || i, title, category, category_key, published_at + i * interval '1 day',
        created_at, updated_at, changed_at from posts, generate_series(1, 250) i where id = ${near.id}
      returning id, published_at
    )
    insert into post_search (post_id, at, version, head, document)
    select made.id, made.published_at, s.version, s.head, s.document from made, post_search s where s.post_id = ${near.id}`.execute(
    db,
  );
  const found = (q: string, authorId?: string): Promise<string[]> =>
    findManaged(db, { q, authorId, status: 'SCHEDULED', now: env().now });
  assert.equal((await found('harvests')).length, 200);
  assert.deepEqual(
    [await found('harvest december', ann.id), await found('harvest december'), await found('harvest december', ben.id)],
    [[far.id], [far.id], []],
  );
});

test('the beginning of a slug finds an own post, however many posts of others begin so', async () => {
  await sql`
    with made as (
      insert into posts (id, author_id, slug, excerpt, created_at, updated_at, changed_at)
      select gen_random_uuid(), ${ben.id}, 'notes-' || i, '', now(), now(), now() from generate_series(1, 150) i
      returning id, slug
    )
    insert into post_slugs (slug, post_id) select slug, id from made`.execute(db);
  const { id } = await blog.draft(ann, { title: 'Other', slug: 'notes-of-ann' });
  const query = { q: 'notes-', status: undefined, now: env().now };
  assert.deepEqual(await findManaged(db, { ...query, authorId: ann.id }), [id]);
  assert.equal((await findManaged(db, { ...query, authorId: undefined })).length, 100);
});

test('the post of the slug that was typed comes first, whatever changed since, unless another order is asked for', async () => {
  const exact = await blog.draft(ann, { title: 'Tide', slug: 'tide' });
  blog.clock.advance(1000);
  for (const slug of ['tide-2', 'tides', 'other-tide']) await blog.draft(ann, { title: 'Tide', slug });
  const slugsOf = async (more: object) => {
    const query = { q: ' Tide ', page: 1, limit: 2, ...more };
    return (await listManagedPosts(db, { writer: ann, query }, env())).data.map(({ slug }) => slug);
  };
  const [first, second] = await slugsOf({});
  assert.deepEqual([first, second === 'tide'], [exact.slug, false]);
  assert.ok(!(await slugsOf({ sort: 'changed' })).includes('tide'));
});
