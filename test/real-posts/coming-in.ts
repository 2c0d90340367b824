import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { exportMarkdown, exportNdjson } from '../../src/cli/transfer/export-posts.ts';
import type { ReadItem } from '../../src/cli/transfer/formats/fit.ts';
import { readNdjson } from '../../src/cli/transfer/formats/read-ndjson.ts';
import { exportPosts, getPost, listPosts } from '../../src/modules/blog/index.ts';
import type { Db } from '../../src/platform/db/index.ts';
import { testDb, withDatabase } from '../helpers/database.ts';
import { POSTS_IN_WORDS, REAL_POSTS } from '../helpers/real-posts.ts';
import { editorOf, type Load, load, type RealBlog, readFolder } from './real-blog.ts';

/** All but a draft. */
const PUBLIC = REAL_POSTS - 1;
const DAY_MS = 86_400_000;
const NONE = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };

const filesOf = async (path: string) =>
  new Map(
    await Promise.all(
      (await readdir(path)).toSorted().map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const),
    ),
  );

async function* onlyOf(items: AsyncIterable<ReadItem>, sources: ReadonlySet<unknown>): AsyncIterable<ReadItem> {
  for await (const item of items) if ('post' in item && sources.has(item.post.source)) yield item;
}

/** How posts come into the blog and out of it again. */
export function comingIn({ db, env, writer, folder, first }: RealBlog): void {
  /** A file or folder beside the posts. */
  const out = (name: string) => join(dirname(folder), name);

  /** A blog with nothing in it. */
  const emptyBlog = async (): Promise<{ db: Db; load(items: AsyncIterable<ReadItem>): Promise<Load> }> => {
    const empty = (await withDatabase()).db;
    const editor = await editorOf(empty, env());
    return { db: empty, load: (items) => load(empty, items, { writer: editor, env }) };
  };

  test(`${POSTS_IN_WORDS} come in, are read page by page and by slug, and a second run changes nothing`, async () => {
    assert.deepEqual(first.totals, { ...NONE, created: REAL_POSTS });
    // The one file without a date or a text is the page of the blog itself.
    const drafts = first.told.filter((file) => file.notes.some((note) => note.includes('draft')));
    assert.deepEqual(
      drafts.map((file) => file.source),
      ['nodejs-blog/index.md'],
    );

    const seen = new Set<string>();
    for (let page = 1; page <= Math.ceil(PUBLIC / 100); page++) {
      const { data, total } = await listPosts(db, { page, limit: 100 }, env());
      assert.equal(total, PUBLIC);
      for (const post of data) {
        const detail = await getPost(db, { slug: post.slug, userId: null }, env());
        assert.equal(detail.id, post.id);
        assert.ok(detail.title && detail.body && detail.category && detail.excerpt, detail.slug);
        seen.add(post.id);
      }
    }
    assert.equal(seen.size, PUBLIC);
    assert.equal((await getPost(db, { slug: 'v0-10-10', userId: null }, env())).title, 'Node.js 0.10.10 (Stable)');
    assert.ok((await getPost(db, { slug: '10-lts-to-12-lts', userId: null }, env())).body.length > 840_000);

    const digest = async () =>
      (
        await sql`select md5(string_agg(p::text || b.body, '' order by p.id)) as all from posts p
               join post_bodies b on b.post_id = p.id`.execute(db)
      ).rows;
    const before = await digest();
    const later = () => ({ ...env(), now: new Date(env().now.getTime() + DAY_MS) });
    const second = await load(db, await readFolder(folder), { writer, env: later });
    assert.deepEqual(second.totals, { ...NONE, unchanged: REAL_POSTS });
    assert.deepEqual(await digest(), before);

    assert.equal((await exportMarkdown(exportPosts(db), out('md'))).written, REAL_POSTS);
    assert.deepEqual(await exportNdjson(exportPosts(db), out('one.ndjson')), { posts: REAL_POSTS, comments: 0 });
    assert.deepEqual(await exportMarkdown(exportPosts(db), out('md')), {
      written: 0,
      unchanged: REAL_POSTS,
      failed: 0,
      others: [],
    });
  });

  test('what was written of them comes into an empty blog as it was, and out of that again', {
    skip: testDb !== 'postgres' && 'once is enough: files are read alike on both',
  }, async () => {
    const byMarkdown = await emptyBlog();
    assert.deepEqual((await byMarkdown.load(await readFolder(out('md')))).totals, { ...NONE, created: REAL_POSTS });
    await exportMarkdown(exportPosts(byMarkdown.db), out('md-again'));
    const written = await filesOf(out('md'));
    assert.equal(written.size, REAL_POSTS);
    assert.deepEqual(await filesOf(out('md-again')), written);

    // Every tenth of them by the other form: a line is what the service gives, with nothing to be read out of a text.
    const some = (await readFile(out('one.ndjson'), 'utf8')).split('\n').filter((_, n) => n % 10 === 0);
    assert.equal(some.length, 106, 'with the end behind the last line');
    const [SOME, file] = [105, out('some.ndjson')];
    await writeFile(file, some.join('\n'));
    const byNdjson = await emptyBlog();
    const read = () => readNdjson(createReadStream(file), 'some');
    assert.deepEqual((await byNdjson.load(read())).totals, { ...NONE, created: SOME });
    assert.deepEqual((await byNdjson.load(read())).totals, { ...NONE, unchanged: SOME });
    await exportNdjson(exportPosts(byNdjson.db), out('some-again.ndjson'));
    assert.ok((await readFile(out('some-again.ndjson'))).equals(await readFile(file)));
    // The same posts from the other form are the same items.
    const sources = new Set((await Array.fromAsync(read())).map((item) => 'post' in item && item.post.source));
    const same = await byNdjson.load(onlyOf(await readFolder(out('md')), sources));
    assert.deepEqual(same.totals, { ...NONE, unchanged: SOME });
  });
}
