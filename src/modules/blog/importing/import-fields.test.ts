import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { createUser, findOrCreateAuthor } from '../../accounts/index.ts';
import { getManagedPost } from '../authoring/get-managed-post.ts';
import { updatePost } from '../authoring/update-post.ts';
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

  test('of another post are left out with a note, and the post comes in', async () => {
    const renamed = item({ oldSlugs: ['stale'] });
    await one(renamed);
    const moved = item({ oldSlugs: ['stale', 'a-free', renamed.slug as string] });
    const result = await one(moved);
    assert.deepEqual(result.notes, [
      `old slug ${renamed.slug as string} left out: another post has it`,
      'old slug stale left out: another post has it',
    ]);
    assert.deepEqual([result.outcome, result.reason, result.slug], ['created', null, moved.slug]);
    const again = await one({ ...moved, body: 'Changed' });
    assert.deepEqual([again.outcome, again.notes.length], ['updated', 2]);
    await assert.rejects(getPost(db, { slug: 'a-free', userId: null }, env()), code('POST_MOVED'));
    assert.equal((await getPost(db, { slug: renamed.slug as string, userId: null }, env())).title, renamed['title']);
  });

  test('are kept also when they were the slug of a post that nobody saw', async () => {
    const draft = item({ publishedAt: undefined });
    await one(draft);
    const renamed = { ...draft, slug: `${draft.slug as string}-new`, oldSlugs: [draft.slug as string] };
    const { postId, outcome } = await one(renamed);
    assert.equal(outcome, 'updated');
    const { rows } = await sql`select slug from post_slugs where post_id = ${postId} order by slug`.execute(db);
    assert.deepEqual(rows, [{ slug: draft.slug }, { slug: renamed.slug }]);
  });
});

test('a slug of another post fails the item, and nothing is left of it', async () => {
  const taken = item();
  await one(taken);
  const known = item();
  await one(known);
  const tried = [
    item({ oldSlugs: ['b-free'], slug: taken.slug }),
    { ...known, title: 'Changed', oldSlugs: ['c-free'], slug: taken.slug },
  ] as Posts;
  for (const post of tried) {
    const result = await one(post);
    assert.equal(result.outcome, 'failed');
    assert.match(result.reason ?? '', /^Another post already has the slug/);
  }
  const { rows } = await sql`select slug from post_slugs where slug in ('b-free', 'c-free')`.execute(db);
  assert.deepEqual(rows, []);
  assert.equal((await one(known)).outcome, 'unchanged');
  assert.equal((await one(item({ slug: 'b-free' }))).outcome, 'created');
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

  test('a post that is public was so by its date at the latest, and keeps its slug when that is changed', async () => {
    const future = { firstPublicAt: '2031-01-01T00:00:00Z' };
    const made = item(future);
    const draft = item({ ...future, publishedAt: undefined });
    const { postId } = await one(made);
    const { postId: draftId } = await one(draft);
    assert.equal((await one({ ...draft, publishedAt: OLD })).outcome, 'updated');
    for (const [id, slug] of [
      [postId, String(made.slug)],
      [draftId, String(draft.slug)],
    ] as const) {
      await run((trx) => updatePost(trx, { writer: editor, id: id ?? '', fields: { slug: `${slug}-new` } }, env()));
      await assert.rejects(getPost(db, { slug, userId: null }, env()), code('POST_MOVED'));
    }
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

test('a post without an author stays whose it is, whoever runs the import again', async () => {
  const other = await blog.writer('Second', 'EDITOR');
  const post = item();
  await one(post);
  const again = async (more: object) => {
    const posts = [{ ...post, ...more }];
    const [result] = await run((trx) => importPosts(trx, { writer: other, posts }, env(), { findOrCreateAuthor }));
    assert.equal(result?.outcome, 'updated');
    return (await managed(result.postId)).author.name;
  };
  assert.equal(await again({ body: 'Changed' }), 'Eve');
  assert.equal(await again({ body: 'Again', authorEmail: 'nobody@example.com' }), 'Eve');
  assert.equal(await again({ author: 'Named' }), 'Named');
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
