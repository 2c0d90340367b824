import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../test/helpers/database.ts';
import { unpackRealPosts, withRealPosts } from '../../test/helpers/real-posts.ts';
import { ManualClock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';
import { findOrCreateAuthor } from '../modules/accounts/index.ts';
import { getPost, importPosts, listPosts, type Writer } from '../modules/blog/index.ts';
import { inTransaction } from '../platform/db/index.ts';
import { importMarkdown, type SendBatch } from './import-markdown.ts';

test(
  '1,050 real posts come in, are read page by page and by slug, and a second run changes nothing',
  withRealPosts,
  async () => {
    const { db } = await withDatabase();
    const clock = new ManualClock('2026-09-01T00:00:00.000Z');
    const env = () => ({ now: new Date(clock.now()), newId: () => uuidv7(clock.now()), requestId: 'import' });
    const { id } = await inTransaction(db, (trx) => findOrCreateAuthor(trx, 'Editor', env()));
    const writer: Writer = { id, role: 'EDITOR' };
    const send: SendBatch = (posts) =>
      inTransaction(db, (trx) => importPosts(trx, { writer, posts }, env(), findOrCreateAuthor));

    const folder = await unpackRealPosts();
    const first = await importMarkdown(folder, undefined, send);
    const { files, ...counts } = first;
    assert.deepEqual(counts, { created: 1050, updated: 0, unchanged: 0, skipped: 0 });
    // The one file without a date or a text is the page of the blog itself.
    const drafts = files.filter((file) => file.notes.some((note) => note.includes('draft')));
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
    const second = await importMarkdown(folder, undefined, send);
    assert.deepEqual({ ...second, files: 0 }, { created: 0, updated: 0, unchanged: 1050, skipped: 0, files: 0 });
    assert.deepEqual(await digest(), before);
  },
);
