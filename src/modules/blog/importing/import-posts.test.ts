import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testDb, withDatabase } from '../../../../test/helpers/database.ts';
import { findOrCreateAuthor } from '../../accounts/index.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { getManagedPost } from '../authoring/get-managed-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, code } from '../fixtures.ts';
import { getPost } from '../reading/get-post.ts';
import { getTaxonomy } from '../reading/get-taxonomy.ts';
import { importPosts } from './import-posts.ts';
import type { ImportBody } from './item.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
/** As it comes over the wire: an undefined field is an absent one. */
const load = (items: ImportBody['posts'], dryRun = false) => {
  const posts = JSON.parse(JSON.stringify(items)) as ImportBody['posts'];
  return run((trx) => importPosts(trx, { writer: editor, posts, dryRun }, env(), { findOrCreateAuthor }));
};
const one = async (post: ImportBody['posts'][number], dryRun = false) => {
  const [result] = await load([post], dryRun);
  assert.ok(result);
  return result;
};
const managed = (id: string | null) => getManagedPost(db, { writer: editor, id: id ?? '' }, env());
const OLD = '2013-06-04T21:37:25.000Z';

let n = 0;
/** A complete item that no test has seen. */
const item = (more: Record<string, unknown> = {}) => {
  n++;
  return {
    source: `file-${n}.md`,
    title: `Item ${n}`,
    slug: `item-${n}`,
    body: 'Text.',
    category: 'Import',
    publishedAt: OLD,
    ...more,
  };
};

describe('an import', () => {
  test('creates posts with their dates and authors; without a date, a draft', async () => {
    const [published, draft] = await load([
      item({ author: 'Jérémy' }),
      item({ publishedAt: undefined, slug: undefined, title: 'My draft' }),
    ]);
    const first = await managed(published?.postId ?? null);
    assert.deepEqual(
      [published?.outcome, first.status, first.publishedAt, first.updatedAt, first.author.name],
      ['created', 'PUBLISHED', OLD, OLD, 'Jérémy'],
    );
    const second = await managed(draft?.postId ?? null);
    assert.deepEqual([draft?.slug, second.status, second.author.id], ['my-draft', 'DRAFT', editor.id]);
  });

  test('changes nothing on the second run', async () => {
    const posts = [item({ author: 'Twice', tags: ['a'] }), item()];
    const first = await load(posts);
    const before = await Promise.all(first.map((r) => managed(r.postId)));
    blog.clock.advance(60_000);
    const second = await load(posts);
    assert.deepEqual(
      second,
      first.map((r) => ({ ...r, outcome: 'unchanged' })),
    );
    assert.deepEqual(await Promise.all(second.map((r) => managed(r.postId))), before);
  });

  test('updates what changed in the source, and empties what it does not say any more', async () => {
    const post = item({ tags: ['a'], excerpt: 'Old', featured: true });
    const { postId } = await one(post);
    blog.clock.advance(1000);
    const { tags: _tags, excerpt: _excerpt, ...rest } = post as typeof post & { tags: unknown; excerpt: unknown };
    const result = await one({ ...rest, body: 'New text.', slug: undefined });
    assert.deepEqual([result.outcome, result.postId, result.slug], ['updated', postId, post.slug]);
    const now = await managed(postId);
    assert.deepEqual([now.body, now.tags, now.excerpt, now.version], ['New text.', [], '', 2]);
    assert.deepEqual([now.publishedAt, now.updatedAt], [OLD, env().now.toISOString()]);
    assert.equal((await one({ ...rest, body: 'New text.', slug: undefined })).outcome, 'unchanged');
  });

  test('keeps old addresses when the source changes the slug', async () => {
    const post = item();
    await one(post);
    await one({ ...post, slug: `${post.slug}-new` });
    await assert.rejects(getPost(db, { slug: post.slug, userId: null }, env()), code('POST_MOVED'));
  });

  test('keeps the slug of a source that it knows, whatever files come beside it', async () => {
    const [late, early] = [
      item({ slug: undefined, slugHint: 'same-name' }),
      item({ slug: undefined, slugHint: 'same-name' }),
    ];
    assert.equal((await one(late)).slug, 'same-name');
    const both = await load([early, { ...late, body: 'Changed.' }]);
    assert.deepEqual(
      both.map((r) => [r.outcome, r.slug]),
      [
        ['created', 'same-name-2'],
        ['updated', 'same-name'],
      ],
    );
    assert.equal((await one({ ...late, body: 'Changed.', slugHint: 'other' })).outcome, 'unchanged');
  });

  test('publishes a draft that has a date now, and moves a date', async () => {
    const post = item({ publishedAt: undefined });
    const { postId } = await one(post);
    await one({ ...post, publishedAt: '2030-01-01T00:00:00Z' });
    assert.equal((await managed(postId)).status, 'SCHEDULED');
    await one({ ...post, publishedAt: OLD });
    assert.deepEqual([(await managed(postId)).status, (await managed(postId)).publishedAt], ['PUBLISHED', OLD]);
  });

  test('leaves what is public here alone when it is not any more there, until a person takes it off', async () => {
    const post = item();
    const { postId } = await one(post);
    const read = async () => (await getPost(db, { slug: post.slug, userId: null }, env())).body;
    const withdrawn = { ...post, publishedAt: undefined, title: 'Inside', body: 'For members.' };
    const before = await managed(postId);
    for (const dryRun of [true, false, false]) {
      const { outcome, reason, notes } = await one(withdrawn, dryRun);
      assert.deepEqual([outcome, notes], ['skipped', []]);
      assert.match(reason ?? '', /^no longer public where it comes from: left as it is here/);
    }
    assert.deepEqual([await managed(postId), await read()], [before, 'Text.']);
    // What it says when it is public again is taken.
    assert.equal((await one({ ...post, body: 'For all.' })).outcome, 'updated');
    assert.equal(await read(), 'For all.');
    await run((trx) => unpublishPost(trx, { writer: editor, id: postId ?? '' }, env()));
    assert.equal((await one(withdrawn)).reason, 'edited in Posthorn since the last import');
    assert.equal((await managed(postId)).body, 'For all.');
  });

  test('takes the date of a scheduled post back with the source', async () => {
    const post = item({ publishedAt: '2026-03-02T00:00:00Z' });
    const { postId } = await one(post);
    const withdrawn = { ...post, publishedAt: undefined, body: 'For members.' };
    assert.equal((await one(withdrawn, true)).outcome, 'updated');
    assert.equal((await managed(postId)).status, 'SCHEDULED');
    assert.equal((await one(withdrawn)).outcome, 'updated');
    blog.clock.advance(2 * 24 * 60 * 60_000);
    const now = await managed(postId);
    assert.deepEqual([now.status, now.publishedAt, now.body], ['DRAFT', null, 'For members.']);
    await assert.rejects(getPost(db, { slug: post.slug, userId: null }, env()), code('NOT_FOUND'));
  });

  test('keeps an archived post archived when its date is gone', async () => {
    const post = item({ archivedAt: '2020-01-01T00:00:00Z' });
    const { postId } = await one(post);
    await one({ ...post, publishedAt: undefined, archivedAt: undefined, body: 'Draft again.' });
    const now = await managed(postId);
    assert.deepEqual([now.status, now.publishedAt, now.body], ['ARCHIVED', OLD, 'Draft again.']);
  });

  test('leaves alone what was edited or deleted here', async () => {
    const [edited, deleted] = [item(), item()];
    const ids = (await load([edited, deleted])).map((r) => r.postId ?? '');
    await run((trx) => updatePost(trx, { writer: editor, id: ids[0] ?? '', fields: { body: 'Mine' } }, env()));
    await run((trx) => deletePost(trx, { writer: editor, id: ids[1] ?? '' }, env()));
    assert.equal((await one(edited)).outcome, 'unchanged');
    const again = await load([
      { ...edited, body: 'Theirs' },
      { ...deleted, body: 'Theirs' },
    ]);
    assert.deepEqual(
      again.map((r) => [r.outcome, r.reason]),
      [
        ['skipped', 'edited in Posthorn since the last import'],
        ['skipped', 'deleted in Posthorn'],
      ],
    );
    assert.equal((await managed(ids[0] ?? '')).body, 'Mine');
  });

  test('fails a bad item with its reason and takes the others', async () => {
    const taken = item();
    await one(taken);
    const bad: [Record<string, unknown>, RegExp][] = [
      [{ title: '' }, /^title /],
      [{ title: 5 }, /^title must be string/],
      [{ body: undefined }, /^body is needed/],
      [{ body: 'a\0b' }, /^body /],
      [{ category: 'x'.repeat(61) }, /^category /],
      [{ tags: ['ok', ' '] }, /^tags\.1 /],
      [{ slug: 'No Slug' }, /^slug /],
      [{ slug: taken.slug }, /already has the slug/],
      [{ publishedAt: 'yesterday' }, /^publishedAt /],
      [{ publishedAt: '2026-06-30T23:59:60Z' }, /^publishedAt /],
      [{ coverImageUrl: 'javascript:alert(1)' }, /^coverImageUrl /],
      [{ admin: true }, /^admin is not a field/],
      [{ title: undefined, slug: undefined }, /^title .*slug /],
    ];
    const good = item();
    const results = await load([...bad.map(([more]) => item(more)), good, { ...good, body: 'Twice' }]);
    for (const [i, [more, reason]] of bad.entries()) {
      assert.equal(results[i]?.outcome, 'failed', JSON.stringify(more));
      assert.match(results[i]?.reason ?? '', reason);
    }
    assert.equal(results.at(-2)?.outcome, 'created');
    assert.match(results.at(-1)?.reason ?? '', /twice/);
    await assert.rejects(getPost(db, { slug: 'no-slug', userId: null }, env()), code('NOT_FOUND'));
  });

  test('says in a dry run what it would do, and does nothing', async () => {
    const known = item();
    const { postId } = await one(known);
    const fresh = item({ author: 'Never stored', tags: ['dry'] });
    const tried = await load([{ ...known, body: 'Changed' }, fresh], true);
    assert.deepEqual(
      tried.map((r) => [r.outcome, r.postId]),
      [
        ['updated', postId],
        ['created', null],
      ],
    );
    assert.equal((await managed(postId)).body, 'Text.');
    assert.ok(!(await getTaxonomy(db, env())).tags.some((t) => t.name === 'dry'));
    assert.equal((await one(fresh)).outcome, 'created');
  });

  test('is for editors', async () => {
    const author = await blog.writer('Ann', 'AUTHOR');
    const attempt = run((trx) => importPosts(trx, { writer: author, posts: [item()] }, env(), { findOrCreateAuthor }));
    await assert.rejects(attempt, code('FORBIDDEN'));
  });

  test('made twice at once creates everything once', {
    skip: testDb !== 'postgres' && 'needs several connections',
  }, async () => {
    const posts = Array.from({ length: 30 }, () => item({ author: 'Both' }));
    const runs = await Promise.all([load(posts), load(posts.toReversed()), load(posts)]);
    const created = runs.flat().filter((r) => r.outcome === 'created');
    assert.equal(created.length, 30);
    assert.equal(runs.flat().filter((r) => r.outcome === 'unchanged').length, 60);
  });
});
