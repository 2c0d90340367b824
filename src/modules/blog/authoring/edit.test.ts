import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDb, withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { getPost } from '../reading/get-post.ts';
import type { ManagedSort, WritablePost } from '../schemas.ts';
import { getManagedPost } from './get-managed-post.ts';
import { listManagedPosts } from './list-managed-posts.ts';
import { unpublishPost } from './unpublish-post.ts';
import { updatePost } from './update-post.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const writer = await blog.writer('Ann', 'AUTHOR');
const patch = (id: string, fields: WritablePost, ifMatch?: string) =>
  run((trx) => updatePost(trx, { writer, id, fields, ifMatch }, env()));
const publicPost = (slug: string) => getPost(db, { slug, userId: null }, env());
const movedTo = (slug: string) => (error: { code?: string; headers?: Record<string, string> }) =>
  error.code === 'POST_MOVED' && error.headers?.location === `/v1/blog/posts/${slug}`;

describe('a draft', () => {
  test('may be empty', async () => {
    const { id, createdAt, updatedAt, changedAt, ...post } = await blog.draft(writer, {});
    assert.deepEqual(post, {
      status: 'DRAFT',
      version: 1,
      title: null,
      slug: null,
      excerpt: '',
      body: '',
      coverImageUrl: null,
      coverImageAlt: null,
      category: null,
      tags: [],
      seoTitle: null,
      seoDescription: null,
      featured: false,
      publishedAt: null,
      readingMinutes: 1,
      likeCount: 0,
      commentCount: 0,
      viewCount: 0,
      shareCount: 0,
      author: { id: writer.id, name: 'Ann' },
    });
    const now = env().now.toISOString();
    assert.deepEqual([createdAt, updatedAt, changedAt], [now, now, now]);
    assert.match(id, /^[0-9a-f-]{36}$/);
  });

  test('keeps every field as it was written', async () => {
    const fields: Required<WritablePost> = {
      title: '𝒯itle ‮עברית "quoted" 👩‍👩‍👧',
      slug: 'own-slug',
      excerpt: 'Short.',
      body: '  # Markdown\r\n\ttabs 🎉 \\ \' " % _ \n',
      coverImageUrl: 'https://example.com/a.png?b=c#d',
      coverImageAlt: 'A picture',
      category: 'Release',
      tags: ['Node.js', 'C++', 'a,b {c} "d"'],
      seoTitle: 'SEO',
      seoDescription: 'Description',
      featured: true,
    };
    const { id } = await blog.draft(writer, fields);
    const stored = await getManagedPost(db, { writer, id }, env());
    assert.deepEqual({ ...stored, ...fields }, stored);
  });

  test('loses white space around names and tags that repeat', async () => {
    const fields = { title: '  A title ', category: ' News ', tags: [' b', 'B', 'É', 'é', 'a'] };
    const post = await blog.draft(writer, fields);
    assert.deepEqual([post.title, post.category, post.tags], ['A title', 'News', ['b', 'É', 'a']]);
  });

  test('refuses an image address that is none', async () => {
    await assert.rejects(blog.draft(writer, { coverImageUrl: 'http://[' }), code('VALIDATION_ERROR'));
  });
});

describe('slugs', () => {
  test('are made of the title, and numbered when taken', async () => {
    const slugs = [];
    for (let i = 0; i < 25; i++) slugs.push((await blog.draft(writer, { title: 'Crème brûlée!' })).slug);
    assert.deepEqual(slugs.slice(0, 3), ['creme-brulee', 'creme-brulee-2', 'creme-brulee-3']);
    assert.equal(slugs.at(-1), 'creme-brulee-25');
    assert.equal((await blog.draft(writer, { title: 'Привет, мир' })).slug, 'privet-mir');
    assert.equal((await blog.draft(writer, { title: '🎉 ★' })).slug, 'post');
  });

  test('come with the first title and stay with the next', async () => {
    const { id } = await blog.draft(writer, { body: 'x' });
    assert.equal((await patch(id, { title: 'First one' })).slug, 'first-one');
    assert.equal((await patch(id, { title: 'Second one' })).slug, 'first-one');
  });

  test('that were asked for are refused when taken, now or in the past of a public post', async () => {
    const { id } = await blog.published(writer, { slug: 'asked-for' });
    const refused = (message: RegExp) =>
      assert.rejects(blog.draft(writer, { slug: 'asked-for' }), { code: 'SLUG_TAKEN', message });
    await refused(/^Another post already has the slug asked-for\.$/);
    await patch(id, { slug: 'asked-for-2' });
    await refused(/^The slug asked-for is an old address of another post/);
    const rival = await blog.draft(writer, {});
    await assert.rejects(patch(rival.id, { slug: 'asked-for' }), code('SLUG_TAKEN'));
    assert.equal((await blog.draft(writer, { title: 'Asked for' })).slug, 'asked-for-3');
  });

  test('of the past lead to the public post, through any number of changes and back', async () => {
    const { id } = await blog.published(writer, { slug: 'one' });
    await patch(id, { slug: 'two' });
    await patch(id, { slug: 'three' });
    await assert.rejects(publicPost('one'), movedTo('three'));
    await assert.rejects(publicPost('two'), movedTo('three'));
    assert.equal((await patch(id, { slug: 'one' })).slug, 'one');
    assert.equal((await publicPost('one')).id, id);
    await assert.rejects(publicPost('three'), movedTo('one'));
    await run((trx) => unpublishPost(trx, { writer, id }, env()));
    for (const slug of ['one', 'two', 'three']) await assert.rejects(publicPost(slug), code('NOT_FOUND'));
  });

  test('of a post that was never public are free again', async () => {
    const { id } = await blog.published(writer, { slug: 'never-seen' }, '2027-01-01T00:00:00Z');
    await patch(id, { slug: 'never-seen-either' });
    assert.equal((await blog.draft(writer, { slug: 'never-seen' })).slug, 'never-seen');
  });

  test('that nobody can have are not found', async () => {
    for (const slug of ['A', 'a b', '\0', "'", 'a'.repeat(500), '-']) {
      await assert.rejects(publicPost(slug), code('NOT_FOUND'));
    }
  });

  test('go to one post each when many ask at once', {
    skip: testDb !== 'postgres' && 'needs several connections',
  }, async () => {
    const titled = await Promise.all(Array.from({ length: 24 }, () => blog.draft(writer, { title: 'Rush hour' })));
    const expected = Array.from({ length: 24 }, (_, i) => (i === 0 ? 'rush-hour' : `rush-hour-${i + 1}`));
    assert.deepEqual(new Set(titled.map((post) => post.slug)), new Set(expected));
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => blog.draft(writer, { slug: 'only-one' })));
    assert.equal(asked.filter((a) => a.status === 'fulfilled').length, 1);
    for (const a of asked) if (a.status === 'rejected') assert.ok(code('SLUG_TAKEN')(a.reason), String(a.reason));
  });
});

describe('an edit', () => {
  test('moves version and updatedAt, and nothing when nothing changes', async () => {
    const post = await blog.draft(writer);
    blog.clock.advance(5000);
    const after = await patch(post.id, { tags: ['x'] });
    assert.deepEqual([after.version, after.updatedAt], [2, env().now.toISOString()]);
    blog.clock.advance(5000);
    assert.deepEqual(await patch(post.id, { ...COMPLETE, tags: [' x '] }), after);
    assert.deepEqual(await patch(post.id, {}), after);
  });

  test('is refused with a stale If-Match, and says which version there is', async () => {
    const { id } = await blog.draft(writer);
    await patch(id, { title: 'Mine' }, '"1"');
    const stale = await patch(id, { title: 'Theirs' }, '"1"').catch((e: unknown) => e);
    const { code, message, headers } = stale as { code: string; message: string; headers: Record<string, string> };
    assert.deepEqual([code, headers.etag, /\b2\b/.test(message)], ['PRECONDITION_FAILED', '"2"', true]);
    for (const header of ['W/"2"', '"3"', '"1", W/"2"', '"2,2"', ', "1",,']) {
      await assert.rejects(patch(id, { title: 'No' }, header), { code: 'PRECONDITION_FAILED' }, header);
    }
    await assert.rejects(patch(id, { title: 'No' }, 'W/"2"'), { message: /weak ETag never matches.* If-Match: "2"/ });
    for (const header of ['2', '', '""2""', '"2', '2, "3"']) {
      await assert.rejects(patch(id, { title: 'No' }, header), { code: 'VALIDATION_ERROR' }, header);
    }
    for (const header of ['"2"', '"7", "3"', '*']) await patch(id, { title: `T${header.length}` }, header);
  });

  test('of a public post may not take away what it needs', async () => {
    const { id } = await blog.published(writer);
    const error = await patch(id, { body: ' \n' }).catch((e: unknown) => e as { details: unknown[] });
    assert.deepEqual('details' in error && error.details, [
      { path: 'body.body', message: 'is needed for a published post' },
    ]);
    const draft = await blog.draft(writer);
    assert.equal((await patch(draft.id, { body: '' })).body, '');
  });

  test('recomputes what is derived from the body', async () => {
    const { id, slug } = await blog.published(writer, { body: 'word '.repeat(1000) });
    assert.equal((await publicPost(slug ?? '')).readingMinutes, 4);
    await patch(id, { body: '# Heading\n\nBe **brief**.' });
    assert.equal((await publicPost(slug ?? '')).excerpt, 'Be brief.');
    await patch(id, { excerpt: 'Mine' });
    assert.equal((await publicPost(slug ?? '')).excerpt, 'Mine');
    await patch(id, { excerpt: '' });
    assert.equal((await publicPost(slug ?? '')).excerpt, 'Be brief.');
  });

  test('waits for another one, and neither is lost', {
    skip: testDb !== 'postgres' && 'needs several connections',
  }, async () => {
    const { id } = await blog.draft(writer);
    const edits: WritablePost[] = [
      { title: 'New title' },
      { body: 'New body' },
      { category: 'New' },
      { tags: ['new'] },
    ];
    for (let round = 0; round < 10; round++) {
      await patch(id, { ...COMPLETE, tags: [] });
      await Promise.all(edits.map((fields) => patch(id, fields)));
      const { title, body, category, tags } = await getManagedPost(db, { writer, id }, env());
      assert.deepEqual({ title, body, category, tags }, Object.assign({}, ...edits));
    }
    const { version } = await getManagedPost(db, { writer, id }, env());
    const race = await Promise.allSettled(edits.map((_, i) => patch(id, { title: `Race ${i}` }, `"${version}"`)));
    assert.equal(race.filter((r) => r.status === 'fulfilled').length, 1);
  });
});

describe('the managed list', () => {
  test('gives authors their own, editors all; by status and text; latest change first', async () => {
    const me = await blog.writer('List author', 'AUTHOR');
    const editor = await blog.writer('List editor', 'EDITOR');
    const list = async (who: typeof me, query: Partial<Parameters<typeof listManagedPosts>[1]['query']> = {}) =>
      listManagedPosts(db, { writer: who, query: { page: 1, limit: 20, ...query } }, env());
    const titles = async (query: Parameters<typeof list>[1]) => (await list(me, query)).data.map((p) => p.title);
    const first = await blog.draft(me, { title: 'Alpha 100%' });
    blog.clock.advance(1000);
    await blog.published(me, { title: 'Beta' });
    blog.clock.advance(1000);
    await blog.published(me, { title: 'Gamma_x' }, '2027-01-01T00:00:00Z');
    blog.clock.advance(1000);
    assert.deepEqual(await titles({}), ['Gamma_x', 'Beta', 'Alpha 100%']);
    await patchAs(me, first.id);
    assert.deepEqual(await titles({}), ['Alpha 100%', 'Gamma_x', 'Beta']);
    assert.deepEqual(await titles({ status: 'DRAFT' }), ['Alpha 100%']);
    assert.deepEqual(await titles({ status: 'SCHEDULED' }), ['Gamma_x']);
    assert.deepEqual(await titles({ status: 'PUBLISHED' }), ['Beta']);
    assert.deepEqual(await titles({ status: 'ARCHIVED' }), []);
    assert.deepEqual(await titles({ q: 'ALPHA' }), ['Alpha 100%']);
    assert.deepEqual([await titles({ q: '100%' }), await titles({ q: '_x' })], [['Alpha 100%'], ['Gamma_x']]);
    assert.deepEqual([await titles({ q: 'x', status: 'DRAFT' }), await titles({ q: 'alpha-1' })], [[], ['Alpha 100%']]);
    assert.deepEqual([await titles({ q: '%' }), await titles({ q: ' ' })], [[], []]);
    assert.deepEqual([await titles({ q: '\\' }), await titles({ q: "'" })], [[], []]);
    const paged = await list(me, { page: 2, limit: 2 });
    assert.deepEqual([paged.pages, paged.total, paged.data.length], [2, 3, 1]);
    const all = await list(editor, { limit: 100 });
    assert.ok(all.total > 3 && all.data.length === all.total);
    assert.ok(!('body' in (all.data[0] ?? {})));
  });

  test('sorts by publication and by counters, ties by id', async () => {
    const me = await blog.writer('Sorted author', 'AUTHOR');
    const titles = async (query: { sort?: ManagedSort; page?: number; status?: 'PUBLISHED' } = {}) =>
      (await listManagedPosts(db, { writer: me, query: { page: 1, limit: 2, ...query } }, env())).data.map(
        (p) => p.title,
      );
    const day = (n: number): string => `2025-01-0${n}T00:00:00Z`;
    const old = await blog.published(me, { title: 'Old' }, day(1));
    const young = await blog.published(me, { title: 'Young' }, day(3));
    await blog.draft(me, { title: 'Draft' });
    await sql`update post_counters set view_count = 7, like_count = 2 where post_id = ${old.id}`.execute(db);
    await sql`update post_counters set view_count = 3, like_count = 5 where post_id = ${young.id}`.execute(db);
    await sql`update posts set comment_count = 1 where id = ${young.id}`.execute(db);
    assert.deepEqual(await titles({ sort: 'published' }), ['Young', 'Old']);
    assert.deepEqual(await titles({ sort: 'published', page: 2 }), ['Draft']);
    assert.deepEqual(await titles({ sort: 'most_viewed' }), ['Old', 'Young']);
    assert.deepEqual(await titles({ sort: 'most_liked', status: 'PUBLISHED' }), ['Young', 'Old']);
    assert.deepEqual(await titles({ sort: 'most_commented' }), ['Young', 'Draft']);
    assert.deepEqual(
      [await titles(), await titles({ sort: 'changed' })],
      [
        ['Draft', 'Young'],
        ['Draft', 'Young'],
      ],
    );
  });

  const patchAs = (who: typeof writer, id: string) =>
    run((trx) => updatePost(trx, { writer: who, id, fields: { featured: true } }, env()));
});
