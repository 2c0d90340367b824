import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { findOrCreateAuthor } from '../../accounts/index.ts';
import { BlogFixture, COMPLETE } from '../fixtures.ts';
import { importPosts } from '../importing/import-posts.ts';
import { isGone } from '../pages/store.ts';
import { getIndexSince } from '../reading/get-index.ts';
import { restoreRevision } from '../revisions/restore-revision.ts';
import { deletePost } from './delete-post.ts';
import { publishPost } from './publish-post.ts';
import { updatePost } from './update-post.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env } = blog;
const author = await blog.writer('Ann', 'AUTHOR');
const editor = await blog.writer('Eve', 'EDITOR');

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(blog.clock.now() + days * DAY_MS);
const ahead = () => ({ ...env(), now: inDays(7) });

/** A post of this slug that is scheduled for tomorrow, after a node whose clock was a week ahead has edited the draft. */
async function scheduled(slug: string) {
  const { id } = await blog.draft(author, { ...COMPLETE, slug });
  const on = { writer: editor, id };
  await run((trx) => updatePost(trx, { ...on, fields: { body: 'Edited.' } }, ahead()));
  blog.clock.advance(60_000);
  const post = await run((trx) => publishPost(trx, { ...on, at: inDays(1).toISOString() }, env()));
  assert.deepEqual([post.status, post.updatedAt > env().now.toISOString()], ['SCHEDULED', true]);
  return { on, updatedAt: post.updatedAt };
}

const removedSince = async (since: Date) => (await getIndexSince(blog.db, since, env()))?.removed;
const isFree = (slug: string) =>
  blog.draft(author, { title: 'Other', slug }).then(
    () => true,
    () => false,
  );

test('a scheduled post stays one, its address untold, after a node whose clock was ahead', async () => {
  const since = env().now;
  const { on, updatedAt } = await scheduled('secret-launch');
  const edited = await run((trx) => updatePost(trx, { ...on, fields: { slug: 'launch' } }, env()));
  assert.deepEqual([edited.status, edited.updatedAt], ['SCHEDULED', updatedAt]);
  assert.equal(await isFree('secret-launch'), true);
  const restored = await run((trx) => restoreRevision(trx, { ...on, number: 1 }, env()));
  assert.deepEqual([restored.status, restored.slug], ['SCHEDULED', 'launch']);
  assert.deepEqual(await removedSince(since), []);
  await run((trx) => deletePost(trx, on, env()));
  assert.deepEqual(await removedSince(since), []);
  assert.equal(await isGone(blog.db, 'launch', env().now), false);
});

test('an import takes its date back, as of one that nobody saw, and gives its slug to others', async () => {
  const load = (more: object, at = env()) =>
    run((trx) =>
      importPosts(trx, { writer: editor, posts: [{ source: 'a', ...COMPLETE, ...more }] }, at, { findOrCreateAuthor }),
    );
  const day = inDays(1).toISOString();
  await load({ slug: 'planned', publishedAt: day, body: 'One.' });
  await load({ slug: 'planned', publishedAt: day, body: 'Two.' }, ahead());
  const [moved] = await load({ slug: 'moved', publishedAt: day, body: 'Three.' });
  assert.deepEqual([moved?.outcome, moved?.slug], ['updated', 'moved']);
  assert.equal(await isFree('planned'), true);
  const [withdrawn] = await load({ slug: 'moved', body: 'Four.' });
  assert.deepEqual([withdrawn?.outcome, withdrawn?.reason], ['updated', null]);
});
