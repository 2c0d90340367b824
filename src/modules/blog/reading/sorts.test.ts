import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { GroupCommit } from '../engagement/group-commit.ts';
import type { Action } from '../engagement/tally.ts';
import { BlogFixture } from '../fixtures.ts';
import type { ListPostsQuery, PostSummary } from '../schemas.ts';
import { pageOfPublic } from './dated-store.ts';
import { listPosts } from './list-posts.ts';
import { type CounterSort, pageByCounter } from './sorted-store.ts';
import type { PublicFilter } from './store.ts';
import { wayTo, type WayOfTags, wayToSeveral, wayToTagged } from './way-to.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env, clock } = blog;
const [ann, zoe] = [await blog.writer('Ann', 'AUTHOR'), await blog.writer('Zoe', 'EDITOR')];
const readers = await Promise.all([1, 2, 3, 4].map(async (i) => (await blog.writer(`Reader ${i}`, 'AUTHOR')).id));
const group = new GroupCommit({ db, clock });
const list = (query: Partial<ListPostsQuery>) => listPosts(db, { page: 1, limit: 100, ...query }, env());

/** 40 posts with few different counts, so that ties are many; every fifth has none. */
for (let i = 0; i < 40; i++) {
  const slug = `p-${i}`;
  const fields = { slug, title: slug, category: i % 3 ? 'Often' : 'Rare', tags: i % 2 ? ['odd'] : ['even', 'tag'] };
  const { id } = await blog.published(i % 4 ? ann : zoe, { ...fields, featured: i % 7 === 0 });
  const actions: Action[] = [
    ...readers.slice(0, i % 5).map((userId) => ({ kind: 'like', slug, userId }) as const),
    ...Array.from({ length: (i * 7) % 5 }, () => ({ kind: 'view', slug }) as const),
    ...Array.from({ length: (i * 3) % 4 }, () => ({ kind: 'share', slug, channel: 'x' }) as const),
  ];
  await Promise.all(actions.map((action) => group.add({ action })));
  await sql`update posts set comment_count = ${(i * 11) % 6} where id = ${id}`.execute(db);
}
await blog.published(ann, { slug: 'later', category: 'Often', tags: ['even', 'tag'] }, '2026-03-05T00:00:00.000Z');
const archived = await blog.published(ann, { slug: 'archived', category: 'Often', tags: ['even', 'tag'] });
const onArchived = { writer: ann, id: archived.id };
const archive = () => blog.run((trx) => unpublishPost(trx, onArchived, env()));
const restore = () => blog.run((trx) => publishPost(trx, onArchived, env()));
await archive();
await blog.draft(ann, { slug: 'draft', category: 'Often', tags: ['even', 'tag'] });

const COUNTS: Record<Exclude<CounterSort, 'trending'>, (post: PostSummary) => number> = {
  most_viewed: (p) => p.viewCount,
  most_liked: (p) => p.likeCount,
  most_shared: (p) => p.shareCount,
  most_commented: (p) => p.commentCount,
};
const SORTS = [...Object.keys(COUNTS), 'trending'] as CounterSort[];
const FILTERS: Partial<ListPostsQuery>[] = [
  {},
  { category: 'rare' },
  { category: 'OFTEN' },
  { tag: ['odd'] },
  { tag: ['even', 'tag'] },
  { featured: true },
  { featured: false },
  { author: 'zoe' },
  { category: 'often', tag: ['odd'], featured: false, author: 'ann' },
  { category: 'nothing' },
  { q: 'text' },
  { q: 'text', category: 'often', tag: ['odd'] },
];
const names = (posts: readonly { slug: string }[]): string[] => posts.map((p) => p.slug);

describe('sorts by counters', () => {
  for (const [sort, count] of Object.entries(COUNTS)) {
    for (const filter of FILTERS) {
      test(`${sort} with ${JSON.stringify(filter)}: the same posts, most first, ties by id`, async () => {
        const reply = await list({ ...filter, sort: sort as CounterSort });
        const expected = (await list(filter)).data.toSorted((a, b) => count(b) - count(a) || (a.id < b.id ? 1 : -1));
        assert.deepEqual(names(reply.data), names(expected));
        assert.deepEqual([reply.sort, reply.total], [sort, expected.length]);
      });
    }
  }

  for (const sort of SORTS) {
    test(`${sort}: pages of any size neither repeat nor skip; past the end there is nothing`, async () => {
      for (const filter of [{}, { category: 'often' }]) {
        const whole = names((await list({ ...filter, sort })).data);
        for (const limit of [1, 7, 40]) {
          const seen: string[] = [];
          for (let page = 1; seen.length < whole.length; page++)
            seen.push(...names((await list({ ...filter, sort, page, limit })).data));
          assert.deepEqual(seen, whole);
        }
        assert.deepEqual((await list({ ...filter, sort, page: 10_000 })).data, []);
      }
    });

    test(`${sort}: all ways to a page find the same`, async () => {
      const key = { categoryKey: 'often', tagKeys: ['odd'], featured: undefined, authorIds: undefined };
      const none = { ...key, categoryKey: undefined, tagKeys: [] };
      for (const filter of [key, none]) {
        const at = { sort, limit: 5, offset: 3 };
        const [walked, gathered, held] = await Promise.all(
          (['walk', 'gather', 'hold'] as const).map((way) =>
            pageByCounter(db, filter, env().now, { ...at, way, fromEnd: false }),
          ),
        );
        assert.equal(walked?.length, 5);
        assert.deepEqual(walked, gathered);
        assert.deepEqual(walked, held);
      }
    });
  }

  test('a counter that moves moves its post at once; one that is scheduled comes with its time', async () => {
    const first = async () => names((await list({ sort: 'most_shared', limit: 1 })).data)[0];
    assert.notEqual(await first(), 'p-4');
    await Promise.all(
      Array.from({ length: 9 }, () => group.add({ action: { kind: 'share', slug: 'p-4', channel: 'x' } })),
    );
    assert.equal(await first(), 'p-4');
    const seen = async () => names((await list({ sort: 'most_shared' })).data).includes('later');
    const now = clock.now();
    assert.equal(await seen(), false);
    clock.set(Date.parse('2026-03-05T00:00:00.000Z'));
    assert.equal(await seen(), true);
    clock.set(now);
  });
});

for (const sort of ['newest', 'oldest'] as const) {
  test(`${sort} of several tags: all ways to a page find the same, whichever tag is first, and the page is that of its list`, async () => {
    const now = env().now;
    const tagged = async (tagKeys: string[], way: WayOfTags, more: Partial<PublicFilter> = {}) => {
      const none = { categoryKey: undefined, featured: undefined, authorIds: undefined };
      const page = { sort, limit: 7, offset: 3, fromEnd: false, way };
      return (await pageOfPublic(db, { ...none, tagKeys, ...more }, now, page)).map(({ slug }) => slug);
    };
    const even = names((await list({ tag: ['even'], sort })).data).filter((slug) => slug !== 'later');
    const often = even.filter((slug) => Number(slug.slice(2)) % 3 !== 0);
    assert.ok(often.length > 10);
    for (const keys of [
      ['even', 'tag'],
      ['tag', 'even'],
      ['tag', 'even', 'tag'],
    ]) {
      for (const way of ['walk', 'hold', 'join', 'marks'] as const) {
        assert.deepEqual(await tagged(keys, way), even.slice(3, 10), `${keys.join()} ${way}`);
        assert.deepEqual(
          await tagged(keys, way, { categoryKey: 'often' }),
          often.slice(3, 10),
          `${keys.join()} ${way}`,
        );
      }
    }
    for (const way of ['walk', 'hold', 'join', 'marks'] as const)
      assert.deepEqual(await tagged(['odd', 'tag'], way), []);
    const reply = await list({ tag: ['tag', 'even'], sort, limit: 7, page: 2 });
    assert.deepEqual([names(reply.data), reply.total], [even.slice(7, 14), even.length]);
  });
}

test('the way to a page of two tags is the one that reads least, whichever was named first', () => {
  const way = (one: number, other: number, matching: number, all = 1_000_000) =>
    wayToSeveral({ matching, all, end: 20 }, [one, other]);
  assert.equal(way(20_000, 500_000, 2000), 'walk', 'the page is soon full');
  assert.equal(
    way(100_000, 200_000, 20_000),
    'join',
    'and of two that are about as long, both are not gone through for long',
  );
  assert.equal(way(20, 500_000, 10), 'marks');
  assert.deepEqual([way(1200, 56_000, 45), way(56_000, 1200, 45)], ['marks', 'marks'], 'few have both');
  assert.equal(way(1200, 40_000, 45, 49_999), 'walk', 'of a small blog');
  assert.deepEqual([way(4000, 9000, 20, 49_999), way(9000, 4000, 20, 49_999)], ['hold', 'hold']);
  assert.equal(way(16_000, 10_000, 145), 'join', 'the page is full after a seventh of both');
  assert.deepEqual(
    [500, 501].map((matching) => way(4000, 300_000, matching)),
    ['walk', 'walk'],
    'as soon as a page is full early',
  );
});

test('trending: what is going on now before what was more, but days ago; nothing at all comes last', async () => {
  const trending = async (): Promise<string[]> => names((await list({ sort: 'trending', tag: ['trend'] })).data);
  for (const slug of ['quiet', 'then', 'now']) await blog.published(ann, { slug, tags: ['trend'] });
  const views = (slug: string, n: number) =>
    Promise.all(Array.from({ length: n }, () => group.add({ action: { kind: 'view', slug } })));
  await views('then', 20);
  assert.deepEqual(await trending(), ['then', 'now', 'quiet']);
  clock.advance(3 * 24 * 3600 * 1000);
  assert.deepEqual(await trending(), ['then', 'now', 'quiet'], 'time alone changes no order');
  await views('now', 2);
  assert.deepEqual(await trending(), ['then', 'now', 'quiet'], '2 now are less than 20 / 2³ = 2.5');
  await views('now', 1);
  assert.deepEqual(await trending(), ['now', 'then', 'quiet'], '3 are more');
  const userId = readers[0] as string;
  await group.add({ action: { kind: 'like', slug: 'quiet', userId } });
  assert.deepEqual(await trending(), ['quiet', 'now', 'then'], 'a like counts 4');
  await group.add({ action: { kind: 'unlike', slug: 'quiet', userId } });
  assert.deepEqual(await trending(), ['now', 'then', 'quiet'], 'and nothing once it is taken back');
});

test('a post that was public and is again has kept its counters', async () => {
  const view = () => group.add({ action: { kind: 'view', slug: 'archived' } });
  await restore();
  await view();
  await archive();
  assert.equal((await view()).is, 'missing');
  await restore();
  assert.deepEqual(await view(), { is: 'counted', counted: { viewCount: 2 } });
});

test('the way that is chosen reads few rows at any size, and sorts no more than 50 000', () => {
  const sizes = fc
    .integer({ min: 1, max: 1_000_000 })
    .chain((all) =>
      fc.record({ all: fc.constant(all), matching: fc.integer({ min: 1, max: all }), end: fc.constantFrom(20, 100) }),
    );
  fc.assert(
    fc.property(sizes, ({ all, matching, end }) => {
      const way = wayTo({ all, matching, end });
      const rows = way === 'gather' ? matching : (Math.min(end, matching) * all) / matching;
      assert.ok(rows <= Math.max(Math.sqrt(end * all), 100), `${way} reads ${rows}`);
    }),
  );
  assert.equal(wayTo({ all: 10_000_000, matching: 60_000, end: 500_000 }), 'walk');
  const ways = [1, 900, 950, 5000, 20_000, 500_000].map((matching) =>
    wayToTagged({ all: 1_000_000, end: 20, matching }, true),
  );
  assert.deepEqual(ways, ['gather', 'gather', 'hold', 'hold', 'walk', 'walk']);
  const besides = [900, 5000].map((matching) => wayToTagged({ all: 1_000_000, end: 20, matching }, false));
  assert.deepEqual(besides, ['gather', 'walk'], 'the tag may have any number');
  assert.equal(wayToTagged({ all: 10_000_000, matching: 60_000, end: 500_000 }, true), 'walk');
});
