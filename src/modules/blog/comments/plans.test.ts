import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { CommentFixture } from './fixtures.ts';
import { firstReplies, firstRepliesQuery, pageOfReplies, pageOfRepliesQuery } from './list-store.ts';

const COUNT = 40_000;
const blog = new CommentFixture(await withDatabase());
const { db } = blog;

test('the replies of a thread are found without those of others, however large a part of all they are', async () => {
  const eve = await blog.writer('Eve', 'EDITOR');
  const ann = await blog.reader('Ann');
  const top = async (slug: string) => {
    await blog.published(eve, { slug });
    return (await blog.comment(ann, slug)).id;
  };
  const long = await top('long');
  const others = [await top('one'), await top('two'), await top('three')];
  // A tenth of all, of which none is among the first four fifths. No page is known to be visible to all, as where comments go on.
  await sql`
    insert into comments (id, post_id, parent_id, root_id, path, author_id, body, status, created_at)
    select ('0198c2a0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, c.post_id, c.id, c.id, array[c.id], c.author_id,
      repeat('x', 300), 'VISIBLE', c.created_at + n * interval '1 second'
    from generate_series(1, ${COUNT}::integer) as n
    join comments c on c.id = case when n % 2 = 0 and n > ${COUNT * 0.8}::integer then ${long}::uuid else (${others}::uuid[])[n % 3 + 1] end`.execute(
    db,
  );
  await sql`analyze comments`.execute(db);
  for (const [what, query] of [
    ['first', firstRepliesQuery([long], 500)],
    ['first of all', firstRepliesQuery([long, ...others], 500)],
    ['page', pageOfRepliesQuery(long, { page: 2, limit: 100 })],
    ['far page', pageOfRepliesQuery(long, { page: 30, limit: 100 })],
  ] as const) {
    const plan = await planOf(db, query);
    assert.ok(
      mostRead(plan) <= COUNT / 10,
      `${what}: ${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`,
    );
  }
  const first = await firstReplies(db, [long], 150);
  assert.equal(first.length, 150);
  const page = await pageOfReplies(db, long, { page: 2, limit: 100 });
  assert.deepEqual(
    page.slice(0, 50).map(({ id }) => id),
    first.slice(100).map(({ id }) => id),
  );
});
