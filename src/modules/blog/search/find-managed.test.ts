import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { findManaged } from './find-managed.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const [ann, ben] = [await blog.writer('Ann', 'AUTHOR'), await blog.writer('Ben', 'AUTHOR')];

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
