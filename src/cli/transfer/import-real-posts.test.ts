import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDb, withDatabase } from '../../../test/helpers/database.ts';
import { unpackRealPosts, withRealPosts } from '../../../test/helpers/real-posts.ts';
import { ManualClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { findOrCreateAuthor } from '../../modules/accounts/index.ts';
import { exportPosts, getPost, importPosts, listPosts, type Writer } from '../../modules/blog/index.ts';
import { inTransaction } from '../../platform/db/index.ts';
import { exportMarkdown, exportNdjson } from './export-posts.ts';
import type { ReadItem } from './formats/fit.ts';
import { readMarkdown } from './formats/read-markdown.ts';
import { readNdjson } from './formats/read-ndjson.ts';
import { type ReportedItem, sendPosts } from './send-posts.ts';

/** A blog with nothing in it, and what the tests do with it. */
async function emptyBlog() {
  const { db } = await withDatabase();
  const clock = new ManualClock('2026-09-01T00:00:00.000Z');
  const env = () => ({ now: new Date(clock.now()), newId: () => uuidv7(clock.now()), requestId: 'import' });
  const { id } = await inTransaction(db, (trx) => findOrCreateAuthor(trx, 'Editor', env()));
  const writer: Writer = { id, role: 'EDITOR' };
  const load = async (items: AsyncIterable<ReadItem>) => {
    const told: ReportedItem[] = [];
    const totals = await sendPosts(
      items,
      'f',
      (posts) => inTransaction(db, (trx) => importPosts(trx, { writer, posts }, env(), { findOrCreateAuthor })),
      { item: (item) => told.push(item) },
    );
    const { created, updated, unchanged, skipped, failed } = totals;
    return { told, totals: { created, updated, unchanged, skipped, failed } };
  };
  const loadFolder = async (path: string) => load((await readMarkdown(path, 'nodejs-blog')).items);
  return { db, clock, env, load, loadFolder };
}

const NONE = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };

const filesOf = async (path: string) =>
  new Map(
    await Promise.all(
      (await readdir(path)).toSorted().map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const),
    ),
  );

let blog = '';
/** A file or folder beside the posts. */
const out = (name: string) => join(dirname(blog), name);
if (!withRealPosts.skip) blog = await unpackRealPosts();

test(
  '1,050 real posts come in, are read page by page and by slug, and a second run changes nothing',
  withRealPosts,
  async () => {
    const { db, clock, env, loadFolder } = await emptyBlog();
    const first = await loadFolder(blog);
    assert.deepEqual(first.totals, { ...NONE, created: 1050 });
    // The one file without a date or a text is the page of the blog itself.
    const drafts = first.told.filter((file) => file.notes.some((note) => note.includes('draft')));
    assert.deepEqual(
      drafts.map((file) => file.source),
      ['nodejs-blog/index.md'],
    );

    const seen = new Set<string>();
    for (let page = 1; page <= 11; page++) {
      const { data, total } = await listPosts(db, { page, limit: 100 }, env());
      assert.equal(total, 1049);
      for (const post of data) {
        const detail = await getPost(db, { slug: post.slug, userId: null }, env());
        assert.equal(detail.id, post.id);
        assert.ok(detail.title && detail.body && detail.category && detail.excerpt, detail.slug);
        seen.add(post.id);
      }
    }
    assert.equal(seen.size, 1049);
    assert.equal((await getPost(db, { slug: 'v0-10-10', userId: null }, env())).title, 'Node.js 0.10.10 (Stable)');
    assert.ok((await getPost(db, { slug: '10-lts-to-12-lts', userId: null }, env())).body.length > 840_000);

    const digest = async () =>
      (
        await sql`select md5(string_agg(p::text || b.body, '' order by p.id)) as all from posts p
               join post_bodies b on b.post_id = p.id`.execute(db)
      ).rows;
    const before = await digest();
    clock.advance(86_400_000);
    const second = await loadFolder(blog);
    assert.deepEqual(second.totals, { ...NONE, unchanged: 1050 });
    assert.deepEqual(await digest(), before);

    assert.equal((await exportMarkdown(exportPosts(db), out('md'))).written, 1050);
    assert.deepEqual(await exportNdjson(exportPosts(db), out('one.ndjson')), { posts: 1050, comments: 0 });
    assert.deepEqual(await exportMarkdown(exportPosts(db), out('md')), {
      written: 0,
      unchanged: 1050,
      failed: 0,
      others: [],
    });
  },
);

test('what was written of them comes into an empty blog as it was, and out of that again', {
  skip: withRealPosts.skip || (testDb !== 'postgres' && 'once is enough: files are read alike on both'),
}, async () => {
  const byMarkdown = await emptyBlog();
  assert.deepEqual((await byMarkdown.loadFolder(out('md'))).totals, { ...NONE, created: 1050 });
  await exportMarkdown(exportPosts(byMarkdown.db), out('md-again'));
  const written = await filesOf(out('md'));
  assert.equal(written.size, 1050);
  assert.deepEqual(await filesOf(out('md-again')), written);

  const byNdjson = await emptyBlog();
  const read = () => readNdjson(createReadStream(out('one.ndjson')), 'one');
  assert.deepEqual((await byNdjson.load(read())).totals, { ...NONE, created: 1050 });
  assert.deepEqual((await byNdjson.load(read())).totals, { ...NONE, unchanged: 1050 });
  await exportNdjson(exportPosts(byNdjson.db), out('two.ndjson'));
  assert.ok((await readFile(out('two.ndjson'))).equals(await readFile(out('one.ndjson'))));
  // The same posts from the other form are the same items.
  assert.deepEqual((await byNdjson.loadFolder(out('md'))).totals, { ...NONE, unchanged: 1050 });
});
