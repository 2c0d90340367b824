import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { findOrCreateAuthor } from '../../accounts/index.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { importPosts } from '../importing/import-posts.ts';
import { getPost } from '../reading/get-post.ts';
import { restoreRevision } from '../revisions/restore-revision.ts';
import { deletePost } from './delete-post.ts';
import { publishPost } from './publish-post.ts';
import { unpublishPost } from './unpublish-post.ts';
import { updatePost } from './update-post.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env } = blog;
const author = await blog.writer('Ann', 'AUTHOR');
const editor = await blog.writer('Eve', 'EDITOR');

/** A request that began a second ago, and has waited for the post since. */
const late = () => ({ ...env(), now: new Date(blog.clock.now() - 1000) });

describe('a request that waited for another change of the post', () => {
  test('does not set its times back', async () => {
    blog.clock.advance(5000);
    const { id, updatedAt } = await blog.draft(author);
    const on = { writer: author, id };
    const fields = { title: 'Other' };
    const edited = await run((trx) => updatePost(trx, { ...on, fields }, late()));
    assert.deepEqual([edited.version, edited.updatedAt], [2, updatedAt]);
    const restored = await run((trx) => restoreRevision(trx, { ...on, number: 1 }, late()));
    assert.deepEqual([restored.version, restored.updatedAt], [3, updatedAt]);
    const published = await run((trx) => publishPost(trx, on, late()));
    assert.deepEqual([published.status, published.publishedAt], ['PUBLISHED', updatedAt]);
  });

  test('publishes at once what a clock that was an hour ahead has published, though its changes do not go back', async () => {
    const { id } = await blog.draft(author, COMPLETE);
    const on = { writer: author, id };
    const ahead = () => ({ ...env(), now: new Date(blog.clock.now() + 3_600_000) });
    const wrong = await run((trx) => publishPost(trx, on, ahead()));
    blog.clock.advance(1000);
    const right = await run((trx) => publishPost(trx, on, env()));
    assert.equal(right.publishedAt, new Date(blog.clock.now()).toISOString());
    assert.equal(right.updatedAt, wrong.updatedAt);
    assert.equal((await getPost(blog.db, { slug: right.slug ?? '', userId: null }, env())).id, id);
    const archived = await run((trx) => unpublishPost(trx, on, env()));
    assert.equal(archived.status, 'ARCHIVED');
  });

  test('finds a post that was published meanwhile published, and keeps its date', async () => {
    blog.clock.advance(5000);
    const { id, publishedAt } = await blog.published(author);
    const on = { writer: author, id };
    await assert.rejects(
      run((trx) => deletePost(trx, on, late())),
      code('FORBIDDEN'),
    );
    await assert.rejects(
      run((trx) => updatePost(trx, { ...on, fields: { body: ' ' } }, late())),
      code('VALIDATION_ERROR'),
    );
    const after = await run((trx) => unpublishPost(trx, on, late()));
    assert.deepEqual([after.status, after.publishedAt], ['ARCHIVED', publishedAt]);
    const again = await run((trx) => publishPost(trx, on, late()));
    assert.deepEqual([again.status, again.publishedAt], ['PUBLISHED', publishedAt]);
  });

  test('finds a scheduled post public whose date came while it waited', async () => {
    const { id } = await blog.draft(author, COMPLETE);
    const on = { writer: author, id };
    const at = new Date(blog.clock.now() + 60_000).toISOString();
    await run((trx) => publishPost(trx, { ...on, at }, env()));
    const waited = { ...env(), waitedMs: () => 60_000 };
    const after = await run((trx) => unpublishPost(trx, on, waited));
    assert.deepEqual([after.status, after.publishedAt], ['ARCHIVED', at]);
  });

  test('keeps the old slug of a post that was published meanwhile', async () => {
    blog.clock.advance(5000);
    const post = { source: 'late', ...COMPLETE, slug: 'seen', publishedAt: env().now.toISOString() };
    const load = (more: object, at = env()) =>
      run((trx) => importPosts(trx, { writer: editor, posts: [{ ...post, ...more }] }, at, { findOrCreateAuthor }));
    const [created] = await load({});
    const [updated] = await load({ slug: 'renamed' }, late());
    assert.deepEqual([updated?.outcome, updated?.slug], ['updated', 'renamed']);
    const [taken] = await load({ source: 'other', slug: 'seen' });
    assert.deepEqual([taken?.outcome, created?.outcome], ['failed', 'created']);
  });
});
