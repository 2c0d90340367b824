import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { getManagedPost } from '../authoring/get-managed-post.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { contentOf } from '../post.ts';
import { getPost } from '../reading/get-post.ts';
import type { ManagedPost, WritablePost } from '../schemas.ts';
import { diffRevision } from './diff-revision.ts';
import { getRevision } from './get-revision.ts';
import { listRevisions } from './list-revisions.ts';
import { restoreRevision } from './restore-revision.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const bob = await blog.writer('Bob', 'AUTHOR');

const edit = (id: string, fields: WritablePost, autosave = false) =>
  run((trx) => updatePost(trx, { writer: ann, id, fields, autosave }, env()));
const restore = (id: string, number: number, ifMatch?: string, writer = ann) =>
  run((trx) => restoreRevision(trx, { writer, id, number, ifMatch }, env()));
const diff = (id: string, number: number, against?: number) => diffRevision(db, { writer: ann, id, number, against });
const numbers = async (id: string) =>
  (await listRevisions(db, { writer: ann, id, query: { page: 1, limit: 100 } })).data.map((r) => r.number);
const content = (post: ManagedPost) => contentOf(post);

describe('restoring', () => {
  test('brings every field back as a new version; the former present becomes a revision', async () => {
    const first = await blog.draft(ann, { ...COMPLETE, slug: 'restored', tags: ['a'], featured: true, seoTitle: 'S' });
    const second = await edit(first.id, { title: 'Other', slug: 'other', body: '', tags: [], featured: false });
    blog.clock.advance(1000);
    const after = await restore(first.id, 1);
    assert.deepEqual(content(after), content(first));
    assert.deepEqual([after.version, after.updatedAt], [3, env().now.toISOString()]);
    assert.deepEqual(await numbers(first.id), [2, 1]);
    const kept = await getRevision(db, { writer: ann, id: first.id, number: 2 }, env());
    assert.deepEqual(contentOf(kept), content(second));
    assert.deepEqual(await getManagedPost(db, { writer: ann, id: first.id }, env()), after);
    assert.deepEqual(await restore(first.id, 1), after, 'again: nothing changes');
  });

  test('keeps the former present also when that was an autosave', async () => {
    const { id } = await blog.draft(ann, { body: 'v1' });
    await edit(id, { body: 'v2' }, true);
    await restore(id, 1);
    assert.equal((await getRevision(db, { writer: ann, id, number: 2 }, env())).body, 'v2');
  });

  test('of the oldest of fifty drops it as a revision, and has its content', async () => {
    const { id } = await blog.draft(ann, { body: 'v1' });
    for (let n = 2; n <= 51; n++) await edit(id, { body: `v${n}` });
    assert.equal((await restore(id, 1)).body, 'v1');
    assert.deepEqual([(await numbers(id)).length, (await numbers(id)).at(-1)], [50, 2]);
  });

  test('does not take a slug back that is another post’s now', async () => {
    const { id } = await blog.draft(ann, { ...COMPLETE, slug: 'wanted' });
    await edit(id, { slug: 'left' });
    await blog.draft(bob, { slug: 'wanted' });
    await edit(id, { title: 'Changed' });
    const after = await restore(id, 1);
    assert.deepEqual([after.slug, after.title], ['left', COMPLETE.title]);
  });

  test('of a content without a slug keeps the present one', async () => {
    const { id } = await blog.draft(ann, { body: 'no title yet' });
    await edit(id, { title: 'A title comes' });
    const after = await restore(id, 1);
    assert.deepEqual([after.slug, after.title], ['a-title-comes', null]);
  });

  test('of a public post moves its address, and the left one leads to it', async () => {
    const { id } = await blog.published(ann, { slug: 'address-one' });
    await edit(id, { slug: 'address-two' });
    await restore(id, 2);
    const moved = (error: { headers?: Record<string, string> }) =>
      error.headers?.location === '/v1/blog/posts/address-one';
    await assert.rejects(getPost(db, { slug: 'address-two', userId: null }, env()), moved);
    assert.equal((await getPost(db, { slug: 'address-one', userId: null }, env())).id, id);
  });

  test('may not take away what a public post needs', async () => {
    const { id } = await blog.draft(ann, {});
    await edit(id, COMPLETE);
    await run((trx) => publishPost(trx, { writer: ann, id }, env()));
    const refused = (await restore(id, 1).catch((e: unknown) => e)) as { code: string; details: { path: string }[] };
    assert.deepEqual(
      [refused.code, refused.details.map((d) => d.path)],
      ['VALIDATION_ERROR', ['title', 'body', 'category']],
    );
    assert.deepEqual(await numbers(id), [1]);
  });

  test('honours If-Match and the rights of the post', async () => {
    const { id } = await blog.draft(ann, { body: 'v1' });
    await edit(id, { body: 'v2' });
    await assert.rejects(restore(id, 1, '"1"'), { code: 'PRECONDITION_FAILED', currentVersion: 2 });
    await assert.rejects(restore(id, 1, undefined, bob), code('NOT_FOUND'));
    assert.deepEqual([(await restore(id, 2)).version, await numbers(id)], [2, [1]], 'the present: nothing changes');
    await assert.rejects(restore(id, 3), code('NOT_FOUND'));
    assert.equal((await restore(id, 1, '"2"')).version, 3);
  });
});

describe('the diff of a revision', () => {
  test('is against the present, or any version that had a content', async () => {
    const { id } = await blog.draft(ann, { ...COMPLETE, body: 'one\ntwo\nthree' });
    await edit(id, { body: 'one\n2\nthree', tags: ['x'] });
    await edit(id, { title: 'Third', featured: true, coverImageAlt: 'Alt' });
    const toPresent = await diff(id, 1);
    assert.deepEqual(toPresent, {
      from: { number: 1, version: 1 },
      to: { number: 3, version: 3 },
      fields: [
        { field: 'title', from: COMPLETE.title, to: 'Third' },
        { field: 'coverImageAlt', from: null, to: 'Alt' },
        { field: 'tags', from: [], to: ['x'] },
        { field: 'featured', from: false, to: true },
      ],
      body: {
        added: 1,
        removed: 1,
        exact: true,
        hunks: [{ fromLine: 1, fromCount: 3, toLine: 1, toCount: 3, lines: [' one', '-two', '+2', ' three'] }],
      },
    });
    assert.deepEqual(await diff(id, 1, 3), toPresent);
    const between = await diff(id, 1, 2);
    assert.deepEqual([between.to.number, between.fields.map((f) => f.field)], [2, ['tags']]);
    assert.deepEqual((await diff(id, 2, 1)).body.hunks[0]?.lines, [' one', '-2', '+two', ' three']);
    assert.deepEqual((await diff(id, 2, 2)).fields, []);
    for (const against of [4, 2_147_483_647]) await assert.rejects(diff(id, 1, against), code('NOT_FOUND'));
  });

  test('takes the version that an editor had, also where that was made by publishing', async () => {
    const { id } = await blog.published(ann, { body: 'public' });
    await edit(id, { body: 'changed' });
    for (const version of [1, 2]) assert.deepEqual((await diff(id, version)).from, { number: 1, version: 2 });
  });
});
