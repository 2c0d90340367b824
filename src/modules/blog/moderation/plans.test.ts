import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { CommentFixture } from '../comments/fixtures.ts';
import { managedQuery, pageOfManaged } from './store.ts';

const COUNT = 40_000;
const blog = new CommentFixture(await withDatabase());
const { db } = blog;

test('the comments of a post, and of an author, are listed without those that others got since', async () => {
  const eve = await blog.writer('Eve', 'EDITOR');
  const bob = await blog.writer('Bob', 'AUTHOR');
  const ann = await blog.reader('Ann');
  const quiet = await blog.published(bob, { slug: 'quiet' });
  const busy = [];
  for (const slug of ['one', 'two', 'three']) busy.push((await blog.published(eve, { slug })).id);
  // A fifth of the first fifth of all. No page is known to be visible to all, as where comments go on.
  await sql`
    insert into comments (id, post_id, root_id, path, author_id, body, status, thread_visible, created_at)
    select id, case when n % 5 = 0 and n <= ${COUNT * 0.2}::integer then ${quiet.id}::uuid else (${busy}::uuid[])[n % 3 + 1] end,
      id, '{}', ${ann.id}, repeat('x', 300), 'VISIBLE', 1, ${blog.env().now}::timestamptz + n * interval '1 second'
    from generate_series(1, ${COUNT}::integer) as n
    cross join lateral (select ('0198c2a0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id) as made`.execute(
    db,
  );
  await sql`analyze comments`.execute(db);
  const filter = {
    statuses: ['VISIBLE', 'HIDDEN'],
    postId: undefined,
    postAuthorId: undefined,
    reported: false,
  } as const;
  const place = { page: 2, limit: 20 };
  for (const one of [
    { ...filter, postId: quiet.id },
    { ...filter, postAuthorId: bob.id },
    { ...filter, postId: quiet.id, postAuthorId: bob.id, statuses: ['VISIBLE'] as const },
  ]) {
    const plan = await planOf(db, managedQuery(one, place));
    assert.ok(mostRead(plan) <= 2 * 40, `${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
    const found = await pageOfManaged(db, one, place);
    assert.deepEqual(
      found.map(({ id }) => Number.parseInt(id.slice(-8), 16)),
      Array.from({ length: 20 }, (_, i) => COUNT * 0.2 - 5 * (20 + i)),
    );
  }
});
