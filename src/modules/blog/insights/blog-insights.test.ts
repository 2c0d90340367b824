import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { windowOf } from '../../../platform/http/index.ts';
import { BlogFixture, code } from '../fixtures.ts';
import type { ManagedPost } from '../schemas.ts';
import { getBlogInsights } from './get-blog-insights.ts';
import { BLOG_BUCKETS } from './schemas.ts';
import { counting, type Engagement, topping } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const { db } = blog;
const NOW = new Date('2026-03-10T12:00:00Z');
const DAYS = 200;
const READERS = 40;
const ann = await blog.writer('Ann', 'AUTHOR');
const bob = await blog.writer('Bob', 'AUTHOR');
/** The first three are Ann's. */
const posts: ManagedPost[] = [];

before(async () => {
  for (let i = 0; i < 6; i++) {
    posts.push(await blog.published(i < 3 ? ann : bob, { title: `Post ${i}` }, `2026-02-0${i + 1}T10:00:00Z`));
  }
  await blog.published(ann, {}, '2026-03-10T12:00:01Z');
  const ids = sql`unnest(${posts.map(({ id }) => id)}::uuid[]) with ordinality as p (id, n)`;
  const days = sql`generate_series(0, ${DAYS - 1}) as d`;
  const day = sql`date '2026-03-10' - d::integer`;
  // The n-th post has n views and, on even days, 10 × n shares, by each of two channels.
  await sql`insert into post_views (post_id, day, views) select p.id, ${day}, p.n from ${days}, ${ids}`.execute(db);
  await sql`insert into post_shares (post_id, day, channel, shares) select p.id, ${day}, c, 10 * p.n
    from ${days}, ${ids}, unnest(array['email', 'x']) as c where d % 2 = 0`.execute(db);
  await sql`insert into users (id, name, created_at, updated_at)
    select ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Reader ' || i, now(), now()
    from generate_series(1, ${READERS}::int) as i`.execute(db);
  // Each post is liked by every n-th reader, and commented on once a day at 23:59:59.999; every third comment is hidden.
  await sql`insert into post_likes (post_id, user_id, created_at)
    select p.id, ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, timestamptz '2026-03-09T00:00:00Z' - (i / 10) * interval '24 hours'
    from generate_series(1, ${READERS}::int) as i, ${ids} where i % p.n = 0`.execute(db);
  await sql`insert into comments (id, post_id, root_id, path, author_id, body, status, created_at)
    select c.id, p.id, c.id, '{}', '00000000-0000-7000-8000-000000000001', 'Hm.', case when d % 3 = 0 then 'HIDDEN' else 'VISIBLE' end,
      timestamptz '2026-03-09T23:59:59.999Z' - d * interval '24 hours'
    from ${days}, ${ids}, lateral (select gen_random_uuid() as id where d >= 0) as c where p.n = 1`.execute(db);
  await sql`vacuum (analyze) post_views, post_likes, post_shares, comments, posts`.execute(db);
});

interface Asked {
  since?: string;
  until?: string;
  bucket?: 'day' | 'week' | 'month';
}

const windowFor = (asked: Asked) => windowOf(asked, { now: NOW, buckets: BLOG_BUCKETS, usual: 'day' });

interface Options {
  authorId?: string;
  postId?: string;
  top?: Engagement;
  limit?: number;
}

const insights = (asked: Asked, { authorId, postId, top = 'views', limit = 10 }: Options = {}) =>
  getBlogInsights(
    db,
    { visible: authorId === undefined ? {} : { authorId }, postId, window: windowFor(asked), top: { by: top, limit } },
    NOW,
  );

test('whole days, each with what happened on it', async () => {
  const { data, since, until } = await insights({ since: '2026-03-07T15:00:00Z', until: '2026-03-10T09:00:00Z' });
  assert.deepEqual([since, until], ['2026-03-07T00:00:00.000Z', '2026-03-11T00:00:00.000Z']);
  const none = { views: 21, published: 0 };
  assert.deepEqual(
    data.map(({ start, ...counts }) => [start.slice(8, 10), counts]),
    [
      ['07', { ...none, likes: 24, comments: 1, shares: 0 }],
      ['08', { ...none, likes: 24, comments: 1, shares: 420 }],
      // A hidden comment; readers 1 to 9.
      ['09', { ...none, likes: 20, comments: 0, shares: 0 }],
      ['10', { ...none, likes: 0, comments: 0, shares: 420 }],
    ],
  );
});

test('posts count on the day on which they became public, unless they are still to come', async () => {
  const { data, published } = await insights({ since: '2026-02-01T00:00:00Z', bucket: 'week' });
  assert.deepEqual(
    data.map((bucket) => [bucket.start.slice(0, 10), bucket.published]),
    [
      ['2026-01-26', 1],
      ['2026-02-02', 5],
      ['2026-02-09', 0],
      ['2026-02-16', 0],
      ['2026-02-23', 0],
      ['2026-03-02', 0],
      ['2026-03-09', 0],
    ],
  );
  assert.equal(published, 6);
});

test('an author is told of own posts, and of no other', async () => {
  const asked = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
  const own = await insights(asked, { authorId: ann.id });
  assert.deepEqual([own.views, own.topPosts.map(({ title }) => title)], [6, ['Post 2', 'Post 1', 'Post 0']]);
  assert.equal((await insights({ since: '2026-02-01T00:00:00Z' }, { authorId: bob.id })).published, 3);
  const [annes, bobs] = [posts[0]?.id ?? '', posts[5]?.id ?? ''];
  assert.equal((await insights(asked, { authorId: ann.id, postId: annes })).views, 1);
  assert.equal((await insights(asked, { postId: bobs })).views, 6);
  for (const postId of [bobs, ann.id]) {
    await assert.rejects(() => insights(asked, { authorId: ann.id, postId }), code('NOT_FOUND'));
  }
});

test('the posts with most of each, with what they have within the window', async () => {
  const asked = { since: '2026-03-08T00:00:00Z', until: '2026-03-10T00:00:00Z' };
  const titles = async (top: Engagement, limit = 10) =>
    (await insights(asked, { top, limit })).topPosts.map((post) => [post.title, post[top]]);
  assert.deepEqual(await titles('views', 2), [
    ['Post 5', 12],
    ['Post 4', 10],
  ]);
  assert.deepEqual(await titles('comments'), [['Post 0', 1]]);
  assert.deepEqual(
    (await titles('likes', 2)).map(([title]) => title),
    ['Post 0', 'Post 1'],
  );
  const [most] = (await insights(asked, { top: 'shares', limit: 1 })).topPosts;
  assert.deepEqual(most, {
    id: posts[5]?.id,
    slug: posts[5]?.slug,
    title: 'Post 5',
    publishedAt: '2026-02-06T10:00:00.000Z',
    views: 12,
    likes: 3,
    comments: 0,
    shares: 120,
  });
});

test('a day of many is read without the others', async () => {
  await sql`insert into posts (id, author_id, created_at, updated_at, changed_at)
    select ('00000001-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, ${ann.id}, now(), now(), now()
    from generate_series(1, 1000) as i`.execute(db);
  const many = sql`posts as p where p.id < '00000002-0000-7000-8000-000000000000'`;
  await sql`insert into post_views (post_id, day, views)
    select p.id, date '2025-01-01' + d, 1 from generate_series(1, 60) as d, ${many}`.execute(db);
  await sql`insert into post_likes (post_id, user_id, created_at)
    select p.id, u.id, timestamptz '2025-01-01T00:00:00Z' + random() * interval '60 days' from users as u, ${many}`.execute(
    db,
  );
  await sql`vacuum (analyze) post_views, post_likes, posts`.execute(db);
  const window = windowFor({ since: '2025-01-31T00:00:00Z', until: '2025-02-01T00:00:00Z' });
  const plan = await planOf(db, counting({}, window, NOW));
  for (const index of ['post_views_day', 'post_likes_created', 'comments_status']) {
    assert.ok(indexesOf(plan).includes(index), `${index}: ${indexesOf(plan).join()}`);
  }
  assert.ok(mostRead(plan) < 6000, `${mostRead(plan)} rows were read`);
  for (const [by, index] of [
    ['views', 'post_views_day'],
    ['likes', 'post_likes_created'],
  ] as const) {
    const top = await planOf(db, topping({}, window, { by, limit: 10 }));
    assert.ok(indexesOf(top).includes(index), indexesOf(top).join());
    assert.ok(mostRead(top) < 6000, `${mostRead(top)} rows were read`);
  }
});
