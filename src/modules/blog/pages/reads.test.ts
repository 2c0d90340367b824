import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { BlogFixture } from '../fixtures.ts';
import { builtList, listPosts } from '../reading/list-posts.ts';
import type { PostSummary } from '../schemas.ts';
import { createPageReads } from './reads.ts';

test('a search shows nothing of the text of a post that was taken off after it was found', async () => {
  const blog = new BlogFixture(await withDatabase());
  const { db, env, run } = blog;
  const editor = await blog.writer('Eve', 'EDITOR');
  const fields = { excerpt: 'In short.', body: `${'Some words. '.repeat(50)}Here is the needle.` };
  const [stays, goes] = [await blog.published(editor, fields), await blog.published(editor, fields)];
  const list = builtList(await listPosts(db, { page: 1, limit: 10 }, env())).body as { data: PostSummary[] };
  const posts = [stays, goes].map(({ id }) => list.data.find((post) => post.id === id) as PostSummary);
  // What was found is what a reply that was made ready a moment before says.
  await run((trx) => unpublishPost(trx, { writer: editor, id: goes.id }, env()));
  const deps = { db, reads: async (read: (on: typeof db) => unknown) => read(db), now: () => env().now };
  const reads = createPageReads(deps as unknown as Parameters<typeof createPageReads>[0]);
  const texts = (await reads.findings('needle', posts)).map(({ text }) => text.map((piece) => piece.text).join(''));
  assert.match(texts[0] ?? '', /Here is the needle/);
  assert.equal(texts[1], 'In short.');
});
