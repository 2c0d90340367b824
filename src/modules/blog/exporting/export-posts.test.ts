import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { httpApp, session } from '../../../../test/helpers/http-app.ts';
import { findOrCreateAuthor } from '../../accounts/index.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture } from '../fixtures.ts';
import { importPosts } from '../importing/import-posts.ts';
import type { ImportBody } from '../importing/item.ts';
import { type ExportedPost, exportPosts } from './export-posts.ts';
import { exportingRoutes } from './routes.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
const all = (from = db): Promise<ExportedPost[]> => Array.fromAsync(exportPosts(from));

/** As `posthorn import ndjson` sends it. */
const asItem = ({ id, ...fields }: ExportedPost) =>
  JSON.parse(
    JSON.stringify({ id, source: `posthorn/${id}`, ...fields }, (_key, value: unknown) =>
      value === null ? undefined : value,
    ),
  ) as ImportBody['posts'][number];

describe('an export', () => {
  test('brings every state back into an empty blog, and exports the same again', async () => {
    const full = {
      title: 'Füll',
      excerpt: 'Short',
      body: '\r\n  body \n\n',
      category: 'News',
      tags: ['a', 'B'],
      coverImageUrl: 'https://example.com/a.png',
      coverImageAlt: 'Alt',
      seoTitle: ' SEO ',
      seoDescription: 'D',
      featured: true,
    };
    const renamed = await blog.published(editor, { ...full, slug: 'old' }, '2020-01-01T00:00:00Z');
    await run((trx) => updatePost(trx, { writer: editor, id: renamed.id, fields: { slug: 'new' } }, env()));
    blog.clock.advance(1000);
    const archived = await blog.published(editor, full);
    blog.clock.advance(1000);
    await run((trx) => unpublishPost(trx, { writer: editor, id: archived.id }, env()));
    const scheduled = await blog.draft(editor, full);
    const at = '2030-01-01T00:00:00.000Z';
    await run((trx) => publishPost(trx, { writer: editor, id: scheduled.id, at }, env()));
    const backToDraft = await blog.published(editor, full);
    const draftAgain = { writer: editor, id: backToDraft.id };
    await run((trx) => unpublishPost(trx, draftAgain, env()));
    await run((trx) => unpublishPost(trx, draftAgain, env()));
    await blog.draft(editor, { coverImageAlt: '', seoTitle: '', seoDescription: '' });

    const posts = await all();
    assert.deepEqual(
      posts.map((p) => [p.slug, p.oldSlugs, p.publishedAt !== null, p.archivedAt !== null, p.firstPublicAt !== null]),
      [
        ['new', ['old'], true, false, true],
        ['full', [], true, true, true],
        ['full-2', [], true, false, true],
        ['full-3', [], false, false, true],
        [null, [], false, false, false],
      ],
    );

    const other = new BlogFixture(await withDatabase());
    other.clock.advance(86_400_000);
    const importer = await other.writer('Importer', 'EDITOR');
    const load = (items: ExportedPost[]) =>
      other.run((trx) =>
        importPosts(trx, { writer: importer, posts: items.map(asItem) }, other.env(), { findOrCreateAuthor }),
      );
    const results = await load(posts);
    assert.deepEqual(
      results.map((r) => [r.outcome, r.reason]),
      posts.map(() => ['created', null]),
    );
    assert.deepEqual(await all(other.db), posts);
    assert.ok((await load(posts)).every((r) => r.outcome === 'unchanged'));

    // Where the posts come from, they are left alone.
    const home = await run((trx) =>
      importPosts(trx, { writer: editor, posts: posts.map(asItem) }, env(), { findOrCreateAuthor }),
    );
    assert.ok(home.every((r) => r.outcome === 'skipped' && /is here already/.test(r.reason ?? '')));
    assert.deepEqual(await all(), posts);
  });

  test('neither repeats nor leaves out a post that is there throughout, while others come and go', async () => {
    const before = new Set((await all()).map((post) => post.id));
    for (let n = 0; n < 150; n++) {
      before.add((await blog.draft(editor, { title: `Post ${n}` })).id);
      blog.clock.advance(1);
    }
    const seen: string[] = [];
    for await (const post of exportPosts(db)) {
      seen.push(post.id);
      if (seen.length === 50) {
        // One that was given out, one of this page, one of the next.
        for (const id of [[...before].at(3), [...before].at(60), [...before].at(130)] as string[]) {
          await run((trx) => deletePost(trx, { writer: editor, id }, env()));
          before.delete(id);
        }
        await blog.draft(editor, { title: 'New' });
      }
    }
    assert.equal(new Set(seen).size, seen.length);
    const missing = [...before].filter((id) => !seen.includes(id));
    assert.deepEqual(missing, []);
    assert.deepEqual(seen, seen.toSorted());
  });

  test('brings every id, also the smallest', async () => {
    const id = '00000000-0000-0000-0000-000000000000';
    const post = { source: 'smallest', id, title: 'Smallest' };
    await run((trx) => importPosts(trx, { writer: editor, posts: [post] }, env(), { findOrCreateAuthor }));
    assert.equal((await all())[0]?.id, id);
    await run((trx) => deletePost(trx, { writer: editor, id }, env()));
  });

  test('reads large bodies a few at a time', async () => {
    const body = 'x'.repeat(900_000);
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push((await blog.draft(editor, { title: `Large ${n}`, body })).id);
    const large = (await all()).filter((post) => post.body.length === body.length);
    assert.deepEqual(large.map((post) => post.id).toSorted(), ids.toSorted());
  });
});

describe('GET /v1/blog/manage/export', async () => {
  const app = await httpApp(exportingRoutes, {
    database: blog.database,
    callers: {
      editor: session('editor', { blogRole: 'EDITOR' }),
      author: session('author', { blogRole: 'AUTHOR' }),
      reader: session('reader'),
    },
  });
  const get = (who: string, query = '') =>
    app.inject({ url: `/v1/blog/manage/export${query}`, headers: { authorization: `Bearer ${who}` } });
  const idsOf = (body: string) =>
    body
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as ExportedPost).id);

  test('streams a post in each line, and goes on after one', async () => {
    const reply = await get('editor');
    assert.deepEqual(
      [reply.statusCode, reply.headers['content-type'], reply.headers['cache-control']],
      [200, 'application/x-ndjson', 'private, no-store'],
    );
    const posts = await all();
    assert.equal(reply.body, posts.map((post) => `${JSON.stringify(post)}\n`).join(''));
    const after = posts[9]?.id ?? '';
    assert.deepEqual(
      idsOf((await get('editor', `?after=${after}`)).body),
      posts.slice(10).map((post) => post.id),
    );
    const end = await get('editor', `?after=${posts.at(-1)?.id}`);
    assert.deepEqual([end.statusCode, end.body], [200, '']);
  });

  test('is for editors, and takes an id only', async () => {
    assert.equal((await get('author')).statusCode, 403);
    assert.equal((await get('reader')).statusCode, 403);
    assert.equal((await get('key1')).statusCode, 401);
    assert.equal((await get('editor', '?after=1')).statusCode, 400);
    assert.equal((await get('editor', '?limit=1')).statusCode, 400);
  });
});
