import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { createUser, findOrCreateAuthor } from '../../accounts/index.ts';
import { getManagedPost } from '../authoring/get-managed-post.ts';
import { BlogFixture, code } from '../fixtures.ts';
import { getPost } from '../reading/get-post.ts';
import { importPosts } from './import-posts.ts';
import type { ImportBody } from './item.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
const OLD = '2013-06-04T21:37:25.000Z';

type Posts = ImportBody['posts'];
const load = (posts: Posts) => run((trx) => importPosts(trx, { writer: editor, posts }, env(), { findOrCreateAuthor }));
const one = async (post: Posts[number]) => {
  const [result] = await load([post]);
  assert.ok(result);
  return result;
};
const managed = (id: string | null) => getManagedPost(db, { writer: editor, id: id ?? '' }, env());

let n = 0;
const item = (more: Record<string, unknown> = {}): Posts[number] => {
  n++;
  const base = { source: `s${n}`, title: `Item ${n}`, slug: `item-${n}`, body: 'Text.', category: 'C' };
  return { ...base, publishedAt: OLD, ...more };
};

describe('old slugs', () => {
  test('lead to the post, and a later run adds to them', async () => {
    const post = item({ oldSlugs: ['older', 'oldest', 'older'] });
    await one(post);
    const moved = (slug: string) => getPost(db, { slug, userId: null }, env());
    await assert.rejects(moved('older'), code('POST_MOVED'));
    assert.equal((await one({ ...post, oldSlugs: ['oldest', 'older'] })).outcome, 'unchanged');
    assert.equal((await one({ ...post, oldSlugs: ['newer'] })).outcome, 'updated');
    for (const slug of ['newer', 'older', 'oldest']) await assert.rejects(moved(slug), code('POST_MOVED'));
  });

  test('of another post fail the item, and nothing is left of it', async () => {
    const taken = item();
    await one(taken);
    const known = item();
    await one(known);
    const tried = [
      item({ oldSlugs: ['a-free', taken.slug as string] }),
      item({ oldSlugs: ['b-free'], slug: taken.slug }),
      { ...known, body: 'Changed', oldSlugs: ['c-free', taken.slug as string] },
      { ...known, source: known.source, title: 'Changed', oldSlugs: ['c-free'], slug: taken.slug },
    ] as Posts;
    for (const post of tried) {
      const result = await one(post);
      assert.equal(result.outcome, 'failed');
      assert.match(result.reason ?? '', /^Another post already has the (old )?slug/);
    }
    const { rows } = await sql`select slug from post_slugs where slug like '%-free'`.execute(db);
    assert.deepEqual(rows, []);
    assert.equal((await one(known)).outcome, 'unchanged');
    assert.equal((await one(item({ slug: 'a-free' }))).outcome, 'created');
  });
});

describe('dates and states', () => {
  test('come as they are', async () => {
    const archived = item({ archivedAt: '2014-01-01T00:00:00Z', createdAt: '2012-01-01T00:00:00Z' });
    const { postId } = await one(archived);
    const post = await managed(postId);
    assert.deepEqual(
      [post.status, post.publishedAt, post.createdAt, post.updatedAt],
      ['ARCHIVED', OLD, '2012-01-01T00:00:00.000Z', OLD],
    );
    const { archivedAt: _archivedAt, ...restored } = archived as Posts[number] & { archivedAt: string };
    assert.equal((await one(restored)).outcome, 'updated');
    assert.equal((await managed(postId)).status, 'PUBLISHED');
    assert.equal((await one({ ...archived, body: '' })).outcome, 'updated');
    assert.deepEqual([(await managed(postId)).status, (await managed(postId)).body], ['ARCHIVED', '']);
  });

  test('that contradict each other fail', async () => {
    const { outcome, reason } = await one(item({ publishedAt: undefined, archivedAt: OLD }));
    assert.deepEqual(
      [outcome, reason],
      ['failed', 'archivedAt needs publishedAt: what was never published is a draft'],
    );
  });
});

describe('an id', () => {
  const id = '0198C7A0-0000-7000-8000-0000000000AA';
  test('is kept, and a post that is here under it is left alone', async () => {
    const post = item({ id });
    assert.equal((await one(post)).postId, id.toLowerCase());
    assert.equal((await one(post)).outcome, 'unchanged');
    const other = await one(item({ id: id.toLowerCase(), body: 'Mine' }));
    assert.deepEqual([other.outcome, other.postId], ['skipped', id.toLowerCase()]);
    assert.equal((await managed(id)).body, 'Text.');
  });

  test('that is none fails the item', async () => {
    assert.match((await one(item({ id: '../x' }))).reason ?? '', /^id /);
  });
});

test('an author whose name cannot be stored fails the item only', async () => {
  const [bad, good] = await load([item({ author: 'a\0b' }), item({ author: 'Fine' })]);
  assert.match(bad?.reason ?? '', /^author /);
  assert.equal(good?.outcome, 'created');
});

test('an author is a writer of this e-mail, else of this name; who only signed up is not', async () => {
  const create = (email: string, blogRole: 'AUTHOR' | null) =>
    run((trx) => createUser(trx, { name: `By ${email}`, email, blogRole, passwordHash: 'none' }, env()));
  await create('ann@example.com', 'AUTHOR');
  await create('bob@example.com', null);
  const authorOf = async (more: Record<string, unknown>) => (await managed((await one(item(more))).postId)).author.name;
  assert.equal(await authorOf({ author: 'Ann', authorEmail: ' Ann@Example.com' }), 'By ann@example.com');
  assert.equal(await authorOf({ author: 'Bob', authorEmail: 'bob@example.com' }), 'Bob');
  assert.equal(await authorOf({ authorEmail: 'nobody@example.com' }), 'Eve');
  const { rows } = await sql`select 1 from users where name = 'Ann'`.execute(db);
  assert.deepEqual(rows, []);
});
