import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { findOrCreateAuthor } from '../../accounts/index.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { importPosts } from '../importing/import-posts.ts';
import type { Writer } from '../rules.ts';
import type { WritablePost } from '../schemas.ts';
import { diffRevision } from './diff-revision.ts';
import { getRevision } from './get-revision.ts';
import { listRevisions } from './list-revisions.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const bob = await blog.writer('Bob', 'AUTHOR');
const eve = await blog.writer('Eve', 'EDITOR');

const edit = (id: string, fields: WritablePost, writer: Writer = ann, autosave = false) =>
  run((trx) => updatePost(trx, { writer, id, fields, autosave }, env()));
const autosave = (id: string, body: string, writer: Writer = ann) => edit(id, { body }, writer, true);
const list = async (id: string, query = {}) =>
  listRevisions(db, { writer: eve, id, query: { page: 1, limit: 100, ...query } });
const numbers = async (id: string) => (await list(id)).data.map((r) => r.number);
const bodies = async (id: string) =>
  Promise.all(
    (await numbers(id)).map(async (number) => (await getRevision(db, { writer: eve, id, number }, env())).body),
  );

describe('a change of content', () => {
  test('keeps what was there before, with who saved it and when', async () => {
    const fields: Required<WritablePost> = {
      title: 'العنوان 👩‍👩‍👧',
      slug: 'revised',
      excerpt: 'Short.',
      body: 'Three words here\r\n',
      coverImageUrl: 'https://example.com/a.png',
      coverImageAlt: 'A',
      category: 'News',
      tags: ['a,b', '{"c"}'],
      seoTitle: 'S',
      seoDescription: null,
      featured: true,
    };
    const created = await blog.draft(ann, fields);
    blog.clock.advance(60_000);
    await edit(created.id, { title: 'Second' }, eve);
    blog.clock.advance(60_000);
    await edit(created.id, { tags: [] }, ann);
    const { data, ...page } = await list(created.id);
    assert.deepEqual(page, { page: 1, pages: 1, total: 2 });
    const first = {
      number: 1,
      version: 1,
      title: fields.title,
      words: 3,
      savedAt: created.createdAt,
      savedBy: { id: ann.id, name: 'Ann' },
      autosaved: false,
      wasPublic: false,
    };
    assert.deepEqual(data[1], first);
    assert.deepEqual([data[0]?.number, data[0]?.title, data[0]?.savedBy.name], [2, 'Second', 'Eve']);
    assert.deepEqual(await getRevision(db, { writer: ann, id: created.id, number: 1 }, env()), { ...first, ...fields });
  });

  test('of every field makes one; publishing, unpublishing and nothing make none', async () => {
    const { id } = await blog.draft(ann);
    const changes: WritablePost[] = [
      { title: 'x' },
      { slug: 'every-field' },
      { excerpt: 'x' },
      { body: 'x' },
      { coverImageUrl: 'http://x.y' },
      { coverImageAlt: 'x' },
      { category: 'x' },
      { tags: ['x'] },
      { seoTitle: 'x' },
      { seoDescription: 'x' },
      { featured: true },
    ];
    for (const change of changes) await edit(id, change);
    assert.deepEqual(
      await numbers(id),
      changes.map((_, i) => changes.length - i),
    );
    await edit(id, Object.assign({}, ...changes));
    await run((trx) => publishPost(trx, { writer: ann, id }, env()));
    await run((trx) => unpublishPost(trx, { writer: ann, id }, env()));
    assert.equal((await list(id)).total, changes.length);
  });

  test('by an import makes one too', async () => {
    const load = (body: string) => {
      const posts = [{ source: 'revised.md', slug: 'imported-one', ...COMPLETE, author: 'Ann', body }];
      return run((trx) => importPosts(trx, { writer: eve, posts, dryRun: false }, env(), { findOrCreateAuthor }));
    };
    const [created] = await load('first');
    await load('second');
    const { data } = await list(created?.postId ?? '');
    assert.deepEqual([data.length, data[0]?.savedBy], [1, { id: eve.id, name: 'Eve' }]);
  });

  test('keeps fifty, and drops the oldest with it', async () => {
    const { id } = await blog.draft(ann, { body: 'v1' });
    for (let n = 2; n <= 51; n++) await edit(id, { body: `v${n}` });
    assert.deepEqual([(await numbers(id)).length, (await numbers(id)).at(-1)], [50, 1]);
    await edit(id, { body: 'v52' });
    assert.deepEqual([(await numbers(id)).length, (await numbers(id)).at(-1)], [50, 2]);
    const second = await list(id, { page: 2, limit: 20 });
    assert.deepEqual([second.pages, second.total, second.data[0]?.number], [3, 50, 31]);
    assert.deepEqual((await list(id, { page: 4, limit: 20 })).data, []);
  });

  test('within one millisecond loses none, with or without If-Match', async () => {
    const { id } = await blog.draft(ann, { body: 'v1' });
    for (const n of [2, 3, 4, 5]) await edit(id, { body: `v${n}` });
    assert.deepEqual(await bodies(id), ['v4', 'v3', 'v2', 'v1']);
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { body: 'v6' }, ifMatch: '"5"' }, env()));
    const stale = { writer: eve, id, fields: { body: 'lost' }, ifMatch: '"5"' };
    await assert.rejects(
      run((trx) => updatePost(trx, stale, env())),
      { code: 'PRECONDITION_FAILED', currentVersion: 6, headers: { etag: '"6"' } },
    );
    assert.deepEqual(await bodies(id), ['v5', 'v4', 'v3', 'v2', 'v1']);
  });

  test('by many at once: every content is the present one or a revision', onlyPostgres, async () => {
    const { id } = await blog.draft(ann, { body: 'v0' });
    await Promise.all(Array.from({ length: 20 }, (_, i) => edit(id, { body: `by ${i}` }, i % 2 ? ann : eve)));
    const { data } = await list(id);
    const present = await diffRevision(db, { writer: ann, id, number: 1 });
    const kept = await bodies(id);
    const last = present.body.hunks[0]?.lines.find((line) => line.startsWith('+'))?.slice(1) ?? '';
    assert.equal(new Set([...kept, last]).size, 21);
    assert.equal(data.length, 20);
  });
});

describe('autosaves', () => {
  test('of one user leave one revision in five minutes', async () => {
    const { id } = await blog.draft(ann, { body: 'start' });
    for (let n = 1; n <= 40; n++) {
      blog.clock.advance(30_000);
      await autosave(id, `auto ${n}`);
    }
    assert.deepEqual(await bodies(id), ['auto 36', 'auto 27', 'auto 18', 'auto 9', 'start']);
  });

  test('never pass over what a person saved, nor what stood for long, nor another user’s', async () => {
    const { id } = await blog.draft(ann, { body: 'start' });
    await autosave(id, 'a1');
    await autosave(id, 'a2');
    await edit(id, { body: 'by hand' });
    await autosave(id, 'a3');
    blog.clock.advance(3600_000);
    await autosave(id, 'a4');
    await autosave(id, 'e1', eve);
    await autosave(id, 'e2', eve);
    await autosave(id, 'a5');
    assert.deepEqual(await bodies(id), ['e2', 'a4', 'a3', 'by hand', 'a2', 'start']);
  });

  test('never pass over what readers saw, also when it is not public any more', async () => {
    const { id } = await blog.draft(ann, COMPLETE);
    await autosave(id, 'a1');
    await autosave(id, 'a2');
    await run((trx) => publishPost(trx, { writer: ann, id }, env()));
    await autosave(id, 'a3');
    await run((trx) => unpublishPost(trx, { writer: ann, id }, env()));
    await autosave(id, 'a4');
    await run((trx) => unpublishPost(trx, { writer: ann, id }, env()));
    await autosave(id, 'a5');
    await autosave(id, 'a6');
    assert.deepEqual(
      (await list(id)).data.map((r) => [r.number, r.version, r.wasPublic, r.autosaved]),
      [
        [5, 6, true, true],
        [3, 4, true, true],
        [1, 1, false, false],
      ],
    );
  });

  test('of a scheduled post may be passed over until it goes live', async () => {
    const { id } = await blog.published(ann, {}, '2027-01-01T00:00:00Z');
    for (const body of ['a1', 'a2', 'a3']) await autosave(id, body);
    assert.equal((await list(id)).data.filter((r) => r.wasPublic).length, 0);
    const before = await numbers(id);
    blog.clock.advance(Date.parse('2027-01-01T00:00:01Z') - blog.clock.now());
    await autosave(id, 'a4');
    const [latest] = (await list(id)).data;
    assert.deepEqual([latest?.wasPublic, (await numbers(id)).length], [true, before.length + 1]);
  });
});

test('the present content is told by its versions too, as it will be once it is a former one', async () => {
  const { id } = await blog.published(ann, { body: 'two words', tags: ['t'] });
  await edit(id, { title: 'Other' });
  const get = (number: number) => getRevision(db, { writer: ann, id, number }, env());
  const present = await get(3);
  assert.deepEqual([present.number, present.version, present.words, present.wasPublic], [3, 3, 2, true]);
  assert.deepEqual([present.savedBy.name, present.body, present.tags], ['Ann', 'two words', ['t']]);
  await edit(id, { title: 'Third' });
  assert.deepEqual(await get(3), present);
});

describe('revisions are for those who manage the post', () => {
  test('another author meets 404, on every operation', async () => {
    const { id } = await blog.draft(ann);
    await edit(id, { title: 'Other' });
    const on = { writer: bob, id, number: 1 };
    await assert.rejects(listRevisions(db, { ...on, query: { page: 1, limit: 1 } }), code('NOT_FOUND'));
    await assert.rejects(getRevision(db, on, env()), code('NOT_FOUND'));
    await assert.rejects(diffRevision(db, on), code('NOT_FOUND'));
    for (const number of [3, 2_147_483_647]) {
      await assert.rejects(getRevision(db, { writer: ann, id, number }, env()), code('NOT_FOUND'));
    }
  });
});
