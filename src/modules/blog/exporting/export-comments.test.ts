import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { httpApp, session } from '../../../../test/helpers/http-app.ts';
import { createUser, findOrCreateAuthor } from '../../accounts/index.ts';
import { CommentFixture, outline } from '../comments/fixtures.ts';
import { importPosts } from '../importing/import-posts.ts';
import type { ExportedComments } from './export-comments.ts';
import { type ExportedPost, type ExportedRecord, exportRecords } from './export-posts.ts';
import { exportingRoutes } from './routes.ts';

const blog = new CommentFixture(await withDatabase());
const editor = await blog.writer('Eve', 'EDITOR');
const all = (from = blog.db): Promise<ExportedRecord[]> => Array.fromAsync(exportRecords(from));
const isComments = (record: ExportedRecord): record is ExportedComments => 'commentsOf' in record;
const commentsIn = (records: readonly ExportedRecord[]) => records.filter(isComments).flatMap((r) => r.comments);

/** Brings records in, a line of comments at a time. */
async function load(into: CommentFixture, records: readonly ExportedRecord[]) {
  const writer = await into.writer('Importer', 'EDITOR');
  let post: ExportedPost | undefined;
  const outcomes: string[] = [];
  for (const record of records) {
    if (!isComments(record)) post = record;
    const fields = JSON.parse(
      JSON.stringify(
        { source: `posthorn/${post?.id}`, ...post, ...(isComments(record) ? record : {}) },
        (key, value) => (value === null || key === 'commentsOf' ? undefined : (value as unknown)),
      ),
    ) as { source: string };
    const [result] = await into.run((trx) =>
      importPosts(trx, { writer, posts: [fields] }, into.env(), { findOrCreateAuthor }),
    );
    const { created, unchanged, skipped } = result?.comments ?? { created: 0, unchanged: 0, skipped: 0 };
    outcomes.push(`${result?.outcome} ${created} ${unchanged} ${skipped}`);
  }
  return outcomes;
}

describe('comments in an export', () => {
  test('come behind their post, parents first, and are the same again from an empty blog', async () => {
    const post = await blog.published(editor, { title: 'Answered' });
    await blog.draft(editor, { title: 'Without' });
    const reader = await blog.reader('Rita');
    const slug = post.slug ?? '';
    const top = await blog.comment(reader, slug, undefined, 'Tóp \n\n “line”\u{1f600}');
    const tops = [top];
    // Not in order of time or level, and more than a page.
    for (let n = 0; n < 230; n++) {
      if (n % 10 === 0) blog.clock.advance(1);
      const above = n % 3 === 0 ? undefined : tops[(n * 7) % tops.length]?.id;
      tops.push(await blog.comment(reader, slug, above));
    }
    await blog.remove(reader, top.id);
    await blog.moderate(editor, tops[1]?.id ?? '', 'HIDDEN');

    const records = await all();
    const lines = records.map((r) => (isComments(r) ? `${r.commentsOf === post.id} ${r.comments.length}` : r.title));
    assert.deepEqual(lines, ['Answered', 'true 200', 'true 31', 'Without']);
    const comments = commentsIn(records);
    assert.equal(new Set(comments.map((c) => c.id)).size, 231);
    const seen = new Set<string>();
    for (const { id, parent } of comments) {
      assert.ok(parent === undefined || seen.has(parent));
      seen.add(id);
    }
    assert.deepEqual(
      comments.find((c) => c.id === top.id),
      {
        id: top.id,
        body: '',
        createdAt: top.createdAt,
        status: 'DELETED',
      },
    );

    const other = new CommentFixture(await withDatabase());
    other.clock.advance(86_400_000);
    assert.deepEqual(await load(other, records), [
      'created 0 0 0',
      'unchanged 200 0 0',
      'unchanged 31 0 0',
      'created 0 0 0',
    ]);
    assert.deepEqual(await all(other.db), records);
    assert.deepEqual(outline((await other.list(slug)).data), outline((await blog.list(slug)).data));
    assert.deepEqual([await other.drift(), await other.flagged()], [[], []]);
    assert.deepEqual(await load(other, records), [
      'unchanged 0 0 0',
      'unchanged 0 200 0',
      'unchanged 0 31 0',
      'unchanged 0 0 0',
    ]);
    // Where they come from, they are left alone with their post.
    assert.deepEqual((await load(blog, records)).slice(0, 2), ['skipped 0 0 0', 'skipped 0 0 200']);
    assert.deepEqual(await all(), records);
  });

  test('come behind what they answer on the deepest level too, where their times say otherwise', async () => {
    const from = new CommentFixture(await withDatabase());
    const writer = await from.writer('Eve', 'EDITOR');
    // Each a day before the one that it answers.
    const comments = Array.from({ length: 36 }, (_, n) => ({
      source: `c${n}`,
      body: `Body ${n}`,
      author: 'Cleo',
      createdAt: new Date(Date.UTC(2014, 1, 40 - n)).toISOString(),
      status: 'VISIBLE',
      ...(n === 0 ? {} : { parent: `c${n - 1}` }),
    }));
    const post = { source: 'deep', title: 'Deep', slug: 'deep', body: 'Text.', category: 'C', comments };
    const posts = [{ ...post, publishedAt: '2014-01-01T00:00:00Z' }];
    await from.run((trx) => importPosts(trx, { writer, posts }, from.env(), { findOrCreateAuthor }));
    const records = await all(from.db);
    const bodies = commentsIn(records).map(({ body }) => body);
    assert.deepEqual(
      bodies,
      comments.map(({ body }) => body),
    );
    const other = new CommentFixture(await withDatabase());
    await load(other, records);
    assert.deepEqual(outline((await other.list('deep')).data), outline((await from.list('deep')).data));
    assert.deepEqual(await all(other.db), records);
  });

  test('are named by their author, and neither repeat nor are left out while others are written', async () => {
    const user = { name: 'Mail', email: 'mail@example.com', passwordHash: 'none' };
    const { id } = await blog.run((trx) => createUser(trx, user, blog.env()));
    const { slug, id: postId } = await blog.published(editor, { title: 'Busy' });
    const reader = { id, name: 'Mail', blogRole: null };
    const written: string[] = [];
    for (let n = 0; n < 250; n++) written.push((await blog.comment(reader, slug ?? '')).id);
    const read: ExportedComments['comments'] = [];
    for await (const record of exportRecords(blog.db)) {
      if (!isComments(record) || record.commentsOf !== postId) continue;
      if (read.length === 0) await blog.comment(reader, slug ?? '', written[0]);
      read.push(...record.comments);
    }
    assert.deepEqual(
      read.slice(0, 250).map((c) => c.id),
      written,
    );
    assert.equal(new Set(read.map((c) => c.id)).size, read.length);
    assert.deepEqual([read[0]?.author, read[0]?.authorEmail ?? null], ['Mail', null], 'of readers no address');
    const writer = { name: 'Pen', email: 'pen@example.com', passwordHash: 'none', blogRole: 'AUTHOR' } as const;
    const pen = await blog.run((trx) => createUser(trx, writer, blog.env()));
    const own = await blog.comment({ id: pen.id, name: 'Pen', blogRole: 'AUTHOR' }, slug ?? '');
    const emails = new Map<string, string | null | undefined>();
    for await (const record of exportRecords(blog.db))
      if (isComments(record)) for (const c of record.comments) emails.set(c.id, c.authorEmail);
    assert.equal(emails.get(own.id), 'pen@example.com', 'of writers one, by which they are known again');
  });

  test('are left out when they are not asked for', async () => {
    const callers = { editor: session('editor', { blogRole: 'EDITOR' }) };
    const app = await httpApp(exportingRoutes, { database: blog.database, callers });
    const get = async (query: string) => {
      const url = `/v1/blog/manage/export${query}`;
      const { statusCode, body } = await app.inject({ url, headers: { authorization: 'Bearer editor' } });
      return { statusCode, records: body.split('\n').slice(0, -1) };
    };
    const records = (await all()).map((record) => JSON.stringify(record));
    assert.deepEqual(await get(''), { statusCode: 200, records });
    const posts = records.filter((record) => !record.startsWith('{"commentsOf"'));
    assert.deepEqual(await get('?comments=false'), { statusCode: 200, records: posts });
    assert.equal((await get('?comments=no')).statusCode, 400);
  });
});
