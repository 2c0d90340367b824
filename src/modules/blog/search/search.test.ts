import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, code } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import type { ListPostsQuery } from '../schemas.ts';
import { keepUpOnce } from './upkeep.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env, run } = blog;
const ann = await blog.writer('Ann', 'EDITOR');
const zoe = await blog.writer('Zoé', 'EDITOR');

const POSTS = [
  [
    'Body only',
    { excerpt: 'Short.', body: 'Somewhere the zebra is named. And the event that a loop waits for.', tags: ['other'] },
  ],
  ['In the tags', { tags: ['Zebra'], featured: true }],
  ['In the excerpt', { excerpt: 'About a zebra.', category: 'Animals' }],
  ['The zebra itself', { body: 'x', category: 'Animals' }],
  ['Event loop', { body: 'How Node.js waits. `process.nextTick()` and [a link](https://example.com/hidden).' }],
  ['Loop and event', { body: 'Not one after the other.' }],
  ['Security releases', { body: 'Jérémy Müller wrote it in C++.' }],
  ['npm 11', { body: 'The npm release.' }],
  ['npm and you', { body: 'No word of it.' }],
  ['東京の天気', { body: '晴れです。今日は東京でとても良い天気ですから散歩に行きましょう。' }],
] as const;
for (const [i, [title, fields]] of POSTS.entries()) {
  const day = String(i + 1).padStart(2, '0');
  await blog.published(
    i % 2 === 0 ? ann : zoe,
    { title, ...fields, tags: 'tags' in fields ? [...fields.tags] : [] },
    `2026-01-${day}T00:00:00Z`,
  );
}
while (await keepUpOnce(db));

const list = (query: Partial<ListPostsQuery>) => listPosts(db, { page: 1, limit: 20, ...query }, env());
const titles = async (q: string, query: Partial<ListPostsQuery> = {}) =>
  (await list({ q, ...query })).data.map((post) => post.title);

describe('a search', () => {
  test('ranks title, tags, excerpt, body, and says so', async () => {
    assert.deepEqual(await titles('zebra'), ['The zebra itself', 'In the tags', 'In the excerpt', 'Body only']);
    const { sort, total, pages } = await list({ q: 'zebra', limit: 3 });
    assert.deepEqual({ sort, total, pages }, { sort: 'relevance', total: 4, pages: 2 });
  });

  for (const [q, expected] of [
    ['ZEBRA', 4],
    ['jeremy', ['Security releases']],
    ['JÉRÉMY muller', ['Security releases']],
    ['secur releas', ['Security releases']],
    ['releasing', ['Security releases', 'npm 11']],
    ['"event loop"', ['Event loop']],
    ['"loop event"', []],
    ['event loop', ['Event loop', 'Loop and event', 'Body only']],
    ['npm -release', ['npm and you']],
    ['npm -"and you"', ['npm 11']],
    ['-npm', []],
    ['npm --you', ['npm and you']],
    ['node.js', ['Event loop']],
    ['nexttick', ['Event loop']],
    ['c++', ['Security releases']],
    ['hidden', []],
    ['zeb', 4],
    ['zeb event', []],
    ['evnt lop', ['Event loop', 'Loop and event', 'Body only']],
    ['zbera excerpt', ['In the excerpt']],
    ['京', ['東京の天気']],
    ['天気', ['東京の天気']],
    ['気天', []],
    ['今日は東京でとても良い天気ですから散歩に行きましょう', ['東京の天気']],
    ['qqqqqq', []],
    ['!!!', []],
    ["'); drop table posts; --", []],
    ['\u0000zebra\ud800', 4],
  ] as const) {
    test(`${JSON.stringify(q)} finds ${JSON.stringify(expected)}`, async () => {
      const found = await titles(q);
      assert.deepEqual(typeof expected === 'number' ? found.length : found, expected);
    });
  }

  test('goes together with every filter and sort', async () => {
    assert.deepEqual(await titles('zebra', { category: 'animals' }), ['The zebra itself', 'In the excerpt']);
    assert.deepEqual(await titles('zebra', { tag: ['ZEBRA'] }), ['In the tags']);
    assert.deepEqual(await titles('zebra', { featured: true }), ['In the tags']);
    assert.deepEqual(await titles('zebra', { featured: false, author: 'zoé' }), ['The zebra itself']);
    assert.deepEqual(await titles('zebra', { author: 'nobody' }), []);
    assert.deepEqual(await titles('zebra', { category: "a'\\" }), []);
    assert.deepEqual(await titles('zebra', { sort: 'oldest' }), [
      'Body only',
      'In the tags',
      'In the excerpt',
      'The zebra itself',
    ]);
    assert.deepEqual(await titles('zebra', { sort: 'newest', page: 2, limit: 3 }), ['Body only']);
    await sql`
      update post_counters k set like_count = case when p.title = 'In the tags' then 2 else 1 end
      from posts p where p.id = k.post_id and p.title in ('In the tags', 'Body only', 'npm 11')`.execute(db);
    assert.deepEqual(await titles('zebra', { sort: 'most_liked', limit: 2 }), ['In the tags', 'Body only']);
    assert.deepEqual(await titles('zebra', { sort: 'most_liked', limit: 2, page: 2 }), [
      'The zebra itself',
      'In the excerpt',
    ]);
    const counted = await list({ q: 'zebra', sort: 'trending', page: 9 });
    assert.deepEqual([counted.sort, counted.total, counted.data], ['trending', 4, []]);
    await assert.rejects(list({ sort: 'relevance' }), code('VALIDATION_ERROR'));
  });

  test('never repeats or skips a post from page to page', async () => {
    const pages: string[] = [];
    for (let page = 1; page <= 4; page++) pages.push(...(await titles('zebra', { page, limit: 1 })));
    assert.deepEqual(pages, await titles('zebra'));
    assert.deepEqual(await titles('zebra', { page: 9 }), []);
  });
});

describe('what is found follows the post', () => {
  test('from draft to deletion', async () => {
    const count = async (q: string) => (await list({ q })).total;
    const { id } = await blog.draft(ann, { title: 'Quokka', body: 'text', category: 'News' });
    assert.equal(await count('quokka'), 0);
    await blog.published(ann, { title: 'Quokka later' }, '2026-05-01T00:00:00Z');
    assert.equal(await count('quokka'), 0);
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { title: 'Wombat' } }, env()));
    const published = await blog.published(ann, { title: 'Wombat two' });
    assert.equal(await count('wombat'), 1);
    await run((trx) =>
      updatePost(trx, { writer: ann, id: published.id, fields: { title: 'Numbat', tags: ['x'] } }, env()),
    );
    assert.deepEqual([await count('wombat'), await count('numbat')], [0, 1]);
    assert.equal((await list({ q: 'numbat', tag: ['x'] })).total, 1);
    await run((trx) => unpublishPost(trx, { writer: ann, id: published.id }, env()));
    assert.equal(await count('numbat'), 0);
    await run((trx) => deletePost(trx, { writer: ann, id: published.id }, env()));
    blog.clock.set('2026-05-01T00:00:00.000Z');
    assert.equal(await count('quokka'), 1);
  });

  test('also a body of more words than a search document can hold', async () => {
    const hangul = (n: number): string =>
      Array.from({ length: 36 }, (_, i) => String.fromCodePoint(0xac00 + ((n * 37 + i) % 11_000))).join('') +
      String(n).padStart(4, '0');
    const body = Array.from({ length: 9700 }, (_, n) => hangul(n)).join(' ');
    await blog.published(ann, { title: 'Hangul', body, tags: ['last'] });
    assert.deepEqual(await titles(hangul(100)), ['Hangul']);
    assert.deepEqual(await titles(hangul(9699)), []);
    assert.deepEqual(await titles('hangul', { tag: ['last'] }), ['Hangul']);
  });

  test('neither the documents nor the words of a small blog are read as a whole', async () => {
    await sql`analyze`.execute(db);
    interface Scans {
      name: string;
      whole: number;
      looked: number;
    }
    const counted = await run(async (trx) => {
      // What the connection did shortly before is counted, too.
      const count = async () =>
        (
          await sql<Scans>`select relname as name, seq_scan::integer as whole, idx_scan::integer as looked
            from pg_stat_xact_user_tables where relname in ('post_search', 'post_words') order by relname`.execute(trx)
        ).rows;
      const before = await count();
      for (const q of ['zebra', 'zeb', '"event loop"', 'zebar', 'nowheretobefound'])
        await listPosts(trx, { page: 1, limit: 20, q }, env());
      return { before, after: await count() };
    });
    const since = ({ name, whole, looked }: Scans) => {
      const earlier = counted.before.find((one) => one.name === name);
      return { name, whole: whole - (earlier?.whole ?? 0), isLookedAt: looked > (earlier?.looked ?? 0) };
    };
    assert.deepEqual(counted.after.map(since), [
      { name: 'post_search', whole: 0, isLookedAt: true },
      { name: 'post_words', whole: 0, isLookedAt: true },
    ]);
  });

  test('every post has one document, whatever was done', async () => {
    const { rows } = await sql`
      select p.id from posts p full join post_search s on s.post_id = p.id
      where s.post_id is null or p.id is null or s.at <> coalesce(p.published_at, p.created_at)`.execute(db);
    assert.deepEqual(rows, []);
  });

  test('also when many write at once', onlyPostgres, async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => blog.published(ann, { title: `Parallel ${i}`, body: `tapir ${i}` })),
    );
    await Promise.all([keepUpOnce(db), keepUpOnce(db), keepUpOnce(db)]);
    while (await keepUpOnce(db));
    assert.equal((await list({ q: 'tapir' })).total, 12);
    assert.equal((await list({ q: 'tapri' })).total, 12);
  });
});

test('a word within another one is found by its root, in the body and in the title', async () => {
  await blog.published(ann, {
    title: 'Within the body',
    body: 'A frobnicator has worker_threads, async_hooks and fs.promises.',
  });
  await blog.published(ann, { title: 'About stream_pipelines', body: 'A frobnicator, too.' });
  while (await keepUpOnce(db));
  const asTheyAre = ['threads', 'hooks', 'promises', 'frobnicator fs.promises'];
  for (const q of [...asTheyAre, 'thread', 'promise', '"worker thread"', 'frobnicator hooked'])
    assert.deepEqual(await titles(q), ['Within the body'], q);
  for (const q of ['pipelines', 'pipeline', 'frobnicator -threads', 'frobnicator -hook'])
    assert.deepEqual(await titles(q), ['About stream_pipelines'], q);
});

test('a word finds those of which it is the root, though its own root is another', async () => {
  await blog.published(ann, { title: 'An embedded zither', body: 'Experimental, and considerably so.' });
  await blog.published(ann, { title: 'Zither, please', body: 'x' });
  while (await keepUpOnce(db));
  // The last word would be taken for unfinished.
  for (const q of ['embed zither', 'embedding zither', 'experiment zither', 'consider zither', 'zither -pleased'])
    assert.deepEqual(await titles(q), ['An embedded zither'], q);
  assert.deepEqual(await titles('zither -embed'), ['Zither, please']);
  assert.deepEqual(await titles('plea zither'), [], 'which is the root of that of please');
});

test('a word that stands for an unfinished or a misspelt one is looked for by its root', async () => {
  await blog.published(ann, { title: 'Platypuses', body: 'x' });
  await blog.published(ann, { title: 'A platypus', body: 'x' });
  await blog.published(ann, { title: 'About platypuses', body: 'x' });
  while (await keepUpOnce(db));
  for (const q of ['platypu', 'platypsues']) assert.equal((await titles(q)).length, 3, q);
});
