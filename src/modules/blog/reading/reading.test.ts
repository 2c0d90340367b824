import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { BlogFixture, code } from '../fixtures.ts';
import type { ListPostsQuery } from '../schemas.ts';
import { blogTables } from '../tables.ts';
import { getIndex } from './get-index.ts';
import { getPost } from './get-post.ts';
import { getTaxonomy } from './get-taxonomy.ts';
import { listPosts } from './list-posts.ts';
import { publicReply } from './public-reply.ts';

const blog = new BlogFixture(await withDatabase());
const { env, db, run } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const zoe = await blog.writer('Zoe', 'EDITOR');
const list = (query: Partial<ListPostsQuery> = {}) => listPosts(db, { page: 1, limit: 20, ...query }, env());
const titles = async (query: Partial<ListPostsQuery> = {}) => (await list(query)).data.map((p) => p.title);

const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const body = 'First words.\n\nMore.';
await blog.published(ann, { title: 'One', category: 'News', tags: ['Node', 'Été'], body }, at(1));
await blog.published(ann, { title: 'Two', category: 'news', tags: ['node', 'sql'], featured: true }, at(2));
await blog.published(zoe, { title: 'Three', category: 'Release', tags: ['NODE'] }, at(3));
await blog.published(zoe, { title: 'Same time', category: 'Release' }, at(3));
await blog.published(zoe, { title: 'Five', category: 'Rare', tags: ['only-five'], excerpt: 'Own words' }, at(5));
const gone = await blog.published(ann, { title: 'Gone', category: 'Gone', tags: ['node', 'gone'] }, at(6));
await blog.run((trx) => unpublishPost(trx, { writer: ann, id: gone.id }, env()));
await blog.draft(ann, { title: 'Draft', category: 'News', tags: ['node'] });
const DUE = '2026-03-02T00:00:00.000Z';
await blog.published(ann, { title: 'Later', category: 'Soon', tags: ['node', 'soon'], featured: true }, DUE);

describe('the public list', () => {
  test('has the fields of interface.md §2.1 and no other', async () => {
    const post = (await list({ sort: 'oldest' })).data[0];
    const { id, ...rest } = post ?? { id: '' };
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      slug: 'one',
      title: 'One',
      excerpt: 'First words. More.',
      coverImageUrl: null,
      coverImageAlt: null,
      category: 'News',
      tags: ['Node', 'Été'],
      publishedAt: at(1),
      featured: false,
      readingMinutes: 1,
      likeCount: 0,
      commentCount: 0,
      viewCount: 0,
      shareCount: 0,
      author: { name: 'Ann' },
    });
  });

  test('holds what is public, newest or oldest first', async () => {
    const newest = await titles();
    assert.deepEqual(newest, ['Five', 'Same time', 'Three', 'Two', 'One']);
    assert.deepEqual(await titles({ sort: 'oldest' }), newest.toReversed());
    const { sort, page, pages, total } = await list();
    assert.deepEqual({ sort, page, pages, total }, { sort: 'newest', page: 1, pages: 1, total: 5 });
  });

  test('never repeats or skips a post from page to page', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page++) seen.push(...(await titles({ page, limit: 2 })));
    assert.deepEqual(seen, await titles());
    const past = await list({ page: 10_000, limit: 2 });
    assert.deepEqual([past.data, past.pages, past.total], [[], 3, 5]);
  });

  test('is the same from page to page in every order, whatever the size of a page', async () => {
    for (const sort of ['newest', 'oldest', 'most_viewed', 'most_commented', 'trending'] as const) {
      const whole = await titles({ sort });
      for (const limit of [1, 2, 3, 4]) {
        const pages: string[] = [];
        for (let page = 1; page <= Math.ceil(5 / limit) + 1; page++)
          pages.push(...(await titles({ sort, page, limit })));
        assert.deepEqual(pages, whole, `${sort} by ${limit}`);
      }
    }
  });

  const filters: [Partial<ListPostsQuery>, string[]][] = [
    [{ category: 'NEWS' }, ['Two', 'One']],
    [{ category: 'nope' }, []],
    [{ category: 'soon' }, []],
    [{ tag: ['node'] }, ['Three', 'Two', 'One']],
    [{ tag: ['ÉTÉ'] }, ['One']],
    [{ tag: ['node', 'SQL'] }, ['Two']],
    [{ tag: ['node', 'Node'] }, ['Three', 'Two', 'One']],
    [{ tag: ['gone'] }, []],
    [{ featured: true }, ['Two']],
    [{ featured: false }, ['Five', 'Same time', 'Three', 'One']],
    [{ author: 'zoe' }, ['Five', 'Same time', 'Three']],
    [{ author: 'nobody' }, []],
    [{ author: 'Ann', tag: ['node'], featured: true, category: 'news' }, ['Two']],
    [{ category: "'; drop table posts --" }, []],
    [{ tag: ['{"a"}', '\\'] }, []],
  ];
  for (const [query, expected] of filters) {
    test(`${JSON.stringify(query)} gives ${expected.length}, and their number`, async () => {
      assert.deepEqual(await titles(query), expected);
      assert.equal((await list(query)).total, expected.length);
    });
  }
});

describe('a scheduled post', () => {
  test('is nowhere before its time and everywhere from it on', async () => {
    const see = async () => ({
      list: (await titles()).includes('Later'),
      count: (await list()).total,
      tag: (await list({ tag: ['soon'] })).total,
      featured: (await list({ featured: true })).total,
      index: (await getIndex(db, env())).total,
      category: (await getTaxonomy(db, env())).categories.some((c) => c.name === 'Soon'),
      detail: await getPost(db, { slug: 'later', userId: null }, env()).then(
        () => true,
        () => false,
      ),
    });
    const before = Date.parse(DUE) - 1;
    const now = blog.clock.now();
    blog.clock.set(before);
    assert.deepEqual(await see(), {
      list: false,
      count: 5,
      tag: 0,
      featured: 1,
      index: 5,
      category: false,
      detail: false,
    });
    blog.clock.set(before + 1);
    assert.deepEqual(await see(), {
      list: true,
      count: 6,
      tag: 1,
      featured: 2,
      index: 6,
      category: true,
      detail: true,
    });
    blog.clock.set(now);
  });
});

describe('the detail', () => {
  test('has the fields of interface.md §2.2', async () => {
    const post = await getPost(db, { slug: 'one', userId: null }, env());
    const summary = (await list({ sort: 'oldest' })).data[0];
    const { related, updatedAt, bodyHtml, seo, ...rest } = post;
    assert.deepEqual([bodyHtml, seo.title, seo.canonical], ['<p>First words.</p>\n<p>More.</p>\n', 'One', null]);
    assert.deepEqual(rest, { ...summary, body, seoTitle: null, seoDescription: null, likedByMe: false });
    assert.equal(updatedAt, env().now.toISOString());
    assert.ok(related.every((r) => !('body' in r)));
  });

  test('relates by shared tags, then category, then recency, never itself', async () => {
    const relatedTo = async (slug: string) =>
      (await getPost(db, { slug, userId: null }, env())).related.map((r) => r.title);
    assert.deepEqual(await relatedTo('one'), ['Two', 'Three', 'Five', 'Same time']);
    assert.deepEqual(await relatedTo('same-time'), ['Three', 'Five', 'Two', 'One']);
    assert.deepEqual(await relatedTo('five'), ['Same time', 'Three', 'Two', 'One']);
  });

  test('says whether this reader likes it', async () => {
    const { id } = await getPost(db, { slug: 'one', userId: null }, env());
    await blogTables(db)
      .insertInto('post_likes')
      .values({ post_id: id, user_id: zoe.id, created_at: env().now })
      .execute();
    const liked = async (userId: string | null) => (await getPost(db, { slug: 'one', userId }, env())).likedByMe;
    assert.deepEqual([await liked(zoe.id), await liked(ann.id), await liked(null)], [true, false, false]);
  });

  test('is not there for a draft or an archived post', async () => {
    for (const slug of ['draft', 'gone', 'nothing']) {
      await assert.rejects(getPost(db, { slug, userId: zoe.id }, env()), code('NOT_FOUND'));
    }
  });
});

test('the index has address and dates of every public post, newest first', async () => {
  const { total, data } = await getIndex(db, env());
  assert.equal(total, 5);
  assert.deepEqual(
    data.map((d) => d.slug),
    ['five', 'same-time', 'three', 'two', 'one'],
  );
  assert.deepEqual(data[0], { slug: 'five', publishedAt: at(5), updatedAt: env().now.toISOString() });
});

test('the taxonomy counts public posts, by count then name', async () => {
  assert.deepEqual(await getTaxonomy(db, env()), {
    categories: [
      { name: 'News', count: 2 },
      { name: 'Release', count: 2 },
      { name: 'Rare', count: 1 },
    ],
    tags: [
      { name: 'Node', count: 3 },
      { name: 'only-five', count: 1 },
      { name: 'sql', count: 1 },
      { name: 'Été', count: 1 },
    ],
  });
});

test('a reply that the caller has is 304, another one is not', () => {
  const ready = { etag: '"a"', bytes: '{}' };
  const first = publicReply({}, ready);
  assert.deepEqual([first.status, first.bytes, first.headers?.etag], [200, ready.bytes, '"a"']);
  assert.deepEqual(publicReply({ 'if-none-match': '"x", W/"a"' }, ready), { status: 304, headers: first.headers });
  assert.equal(publicReply({ 'if-none-match': '"a"' }, { ...ready, etag: '"b"' }).status, 200);
});

test('the taxonomy spells a name as most public posts do', async () => {
  const spelt = (tag: string) => blog.published(ann, { category: tag, tags: [tag] });
  const ids = [await spelt('iOS'), await spelt('ios'), await spelt('iOS')].map((post) => post.id);
  const of = async () => {
    const { categories, tags } = await getTaxonomy(db, env());
    return [categories, tags].map((facets) => facets.filter((f) => f.name.toLowerCase() === 'ios'));
  };
  assert.deepEqual(await of(), [[{ name: 'iOS', count: 3 }], [{ name: 'iOS', count: 3 }]]);
  for (const id of [ids[0], ids[2]]) {
    await run((trx) => unpublishPost(trx, { writer: zoe, id: id as string }, env()));
  }
  assert.deepEqual(await of(), [[{ name: 'ios', count: 1 }], [{ name: 'ios', count: 1 }]]);
  await run((trx) => unpublishPost(trx, { writer: zoe, id: ids[1] as string }, env()));
  assert.deepEqual(await of(), [[], []]);
});

test('the taxonomy spells no name as only a post does that is not public', async () => {
  const spell = (category: string, tag: string) => ({ title: 'T', body: 'b', category, tags: [tag] });
  const speller = await blog.writer('Speller', 'EDITOR');
  const first = await blog.draft(speller, spell('HUSH Name', 'HUSH'));
  await run((trx) =>
    publishPost(trx, { writer: speller, id: first.id, at: new Date(blog.clock.now() + 1000).toISOString() }, env()),
  );
  const second = await blog.draft(speller, spell('hush name', 'hush'));
  await run((trx) => publishPost(trx, { writer: speller, id: second.id }, env()));
  const { categories, tags } = await getTaxonomy(db, env());
  const of = (facets: typeof tags) => facets.filter((f) => f.name.toLowerCase().startsWith('hush'));
  assert.deepEqual([of(categories), of(tags)], [[{ name: 'hush name', count: 1 }], [{ name: 'hush', count: 1 }]]);
});

test('authors are found whatever the case of their name, and however its accents are composed', async () => {
  // A database of locale C folds none of these, others not all.
  const names = { 'José García': 'JOSÉ GARCÍA', İpek: 'i̇pek', 'Zoé\u0308': 'ZO\u00c9\u0308', Émile: 'E\u0301mile' };
  for (const [name, asked] of Object.entries(names)) {
    await blog.published(await blog.writer(name, 'AUTHOR'), { title: `By ${name}` });
    assert.deepEqual(await titles({ author: asked }), [`By ${name}`]);
  }
  assert.deepEqual(await titles({ author: 'Jose Garcia' }), []);
});
