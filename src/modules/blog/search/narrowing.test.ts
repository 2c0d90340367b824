import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import { MATCHES_MAX } from './find-matches.ts';
import { MARK } from './document.ts';
import { lookFrom } from './look.ts';
import { EVERYWHERE, isPromising, stepsBetween } from './narrowing.ts';
import { LARGE } from './vocabulary.ts';
import { periodsOf } from './periods.ts';
import { parseQuery } from './query.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const POSTS = 2600;

/**
 * Two posts, copied: every one has the word "common", one in 400 "rare"; an hour apart, newest first. And one that is
 * much older.
 */
async function fill(): Promise<void> {
  const ann = await blog.writer('Ann', 'EDITOR');
  const body = 'One of the releases.';
  const at = new Date('2026-02-28T00:00:00Z');
  const rare = await blog.published(ann, { title: 'Common and rare', body }, at.toISOString());
  const common = await blog.published(ann, { title: 'Common', body }, at.toISOString());
  await blog.published(ann, { title: 'Release', body: 'Wombat: of the, of the.' }, '2015-02-28T00:00:00Z');
  await sql`
    create table copies as select n, gen_random_uuid() as id, timestamptz '2026-02-28T00:30:00Z' - n * interval '1 hour' as at,
      case when n % 400 = 399 then ${rare.id}::uuid else ${common.id}::uuid end as of
    from generate_series(1, ${POSTS}::integer) n`.execute(db);
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at, updated_at, changed_at)
    select c.id, p.author_id, p.slug || c.n, p.title || ' ' || c.n, p.category, p.category_key, c.at, c.at, c.at, c.at, c.at
    from copies c join posts p on p.id = c.of`.execute(db);
  const period = (mark: string, form: string) => sql`${mark}::text || to_char(c.at at time zone 'utc', ${form}::text)`;
  await sql`
    insert into post_search (post_id, at, version, head, document)
    select c.id, c.at, s.version, s.head, ts_delete(s.document, ${periodsOf(at)}::text[]) || array_to_tsvector(array[
      ${period('=h', 'YYYY-MM-DD"T"HH24')}, ${period('=d', 'YYYY-MM-DD')}, ${period('=m', 'YYYY-MM')}, ${period('=y', 'YYYY')}])
    from copies c join post_search s on s.post_id = c.of`.execute(db);
  await sql`drop table copies`.execute(db);
  await sql`delete from posts where id = any(${[rare.id, common.id]}::uuid[])`.execute(db);
}
await fill();

const found = async (q: string, sort?: 'newest' | 'oldest') =>
  listPosts(db, { q, page: 1, limit: 100, ...(sort ? { sort } : {}) }, env());
const titles = async (...args: Parameters<typeof found>) => (await found(...args)).data.map((post) => post.title);
const copies = (first: number, step: 1 | -1): string[] =>
  Array.from({ length: 100 }, (_, i) => first + i * step).map(
    (n) => (n % 400 === 399 ? 'Common and rare' : 'Common') + ` ${n}`,
  );

/** The searches that a query takes. */
async function searchesOf(q: string): Promise<string[]> {
  const statements: string[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => (statements.push(JSON.stringify(node)), node),
    transformResult: async ({ result }) => result,
  });
  await listPosts(watched, { q, page: 1, limit: 20 }, env());
  return statements.filter((s) => s.includes('with candidates as materialized'));
}

test('of more matches than are looked at, the newest are found, and so many are counted', async () => {
  assert.equal((await found('common', 'newest')).total, MATCHES_MAX);
  assert.deepEqual(await titles('common', 'newest'), copies(1, 1));
});

test('or the oldest, where these are asked for, however new a post with an old date is', async () => {
  assert.equal((await found('common', 'oldest')).total, MATCHES_MAX);
  assert.deepEqual(await titles('common', 'oldest'), copies(POSTS, -1));
  const ann = await blog.writer('Bea', 'EDITOR');
  await blog.published(ann, { title: 'Common in old times' }, '2014-02-28T00:00:00Z');
  assert.equal((await titles('common', 'oldest'))[0], 'Common in old times');
});

test('the best of them are those with the words in the title, however old', async () => {
  assert.deepEqual((await titles('release')).slice(0, 2), ['Release', 'Common 1']);
  assert.equal((await found('release')).total, MATCHES_MAX);
  assert.equal((await titles('release', 'newest'))[0], 'Common 1');
});

test('a phrase is looked for in the newest posts with its words, and in more when these are few', async () => {
  assert.equal((await found('"of the"')).total, MATCHES_MAX);
  assert.deepEqual(await titles('"the of the"'), ['Release'], 'however old');
  const [first, ...rest] = await searchesOf('"the of the"');
  assert.match(first ?? '', /=m2026-02/);
  const [byTitle, more] = rest;
  assert.match(byTitle ?? '', /\^the/);
  assert.match(more ?? '', /=draft/);
  assert.doesNotMatch(more ?? '', /\^the/);
  assert.equal((await searchesOf('"of the"')).length, 2, 'where many have it, no more are read');
  assert.deepEqual(await titles('"the of the" wombat'), ['Release']);
  assert.deepEqual(await titles('wombat -"of the"'), []);
  assert.deepEqual(await titles('wombat -"the wombat"'), ['Release']);
});

test('of fewer, all are found, however old', async () => {
  const { total, data } = await found('rare', 'oldest');
  assert.equal(total, 6);
  assert.match(data[0]?.title ?? '', / 2399$/);
});

test('a look beside another is never without a bound, also when it is made again as a further one took too long', async () => {
  const statements = new Map<unknown, string>();
  let ended = 0;
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      const text = JSON.stringify(node);
      if (text.includes('with candidates as materialized')) statements.set(queryId, text);
      return node;
    },
    async transformResult({ result, queryId }) {
      // As PostgreSQL ends the one among all posts.
      if (!/=draft/.test(statements.get(queryId) ?? '')) return result;
      ended++;
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    },
  });
  const found = await lookFrom(watched, {
    query: parseQuery('rare'),
    others: new Map(),
    state: MARK.public,
    marks: [],
    now: env().now,
    end: 'newest',
    wanted: 50,
    most: 50,
    candidates: 50,
    posts: 1000,
    isLarge: false,
    before: { posts: 1, found: 1 },
    signal: new AbortController().signal,
  });
  assert.deepEqual([found.matches.length > 0, ended], [true, 1]);
  const bounds = [...statements.values()].map((text) => /statement_timeout=\d+/.exec(text)?.[0]);
  assert.deepEqual(bounds, Array(3).fill('statement_timeout=1000'));
});

test('what is very common is looked for among the newest', async () => {
  const searches = await searchesOf('common');
  assert.equal(searches.length, 2, 'by all words, and by those of the title');
  assert.match(searches[0] ?? '', /=m2026-02/);
});

test('titles are looked for while the next look is made, where that will not be all', async () => {
  await sql`
    update post_search set document = document || array_to_tsvector(array['seldom'])
    where extract(epoch from at)::bigint / 3600 % 8 = 0`.execute(db);
  const ann = await blog.writer('Ann', 'EDITOR');
  await blog.published(ann, { title: 'Seldom said' }, '2013-02-28T00:00:00Z');
  const undo = await pretendPosts(POSTS);
  const isOfTitles = (text: string): boolean => text.includes('^seldom');
  const asked: string[] = [];
  let tell: () => void = () => undefined;
  const titlesAsked = new Promise<void>((done) => (tell = done));
  const texts = new WeakMap<object, string>();
  const watched = db.withPlugin({
    transformQuery({ node, queryId }) {
      const text = JSON.stringify(node);
      texts.set(queryId, text);
      if (text.includes('with candidates')) asked.push(isOfTitles(text) ? 'titles' : 'posts');
      if (isOfTitles(text)) tell();
      return node;
    },
    async transformResult({ result, queryId }) {
      const text = texts.get(queryId) ?? '';
      // The second look is not answered before the titles are asked for.
      if (text.includes('with candidates') && !isOfTitles(text) && asked.filter((a) => a === 'posts').length === 2)
        await titlesAsked;
      return result;
    },
  });
  const { data, total } = await listPosts(watched, { q: 'seldom', page: 1, limit: 20 }, env());
  assert.equal(total, MATCHES_MAX);
  assert.equal(data[0]?.title, 'Seldom said');
  assert.deepEqual(asked.toSorted(), ['posts', 'posts', 'titles']);
  await undo();
});

test('titles that turn out not to be wanted may fail', async () => {
  await sql`
    update post_search set document = document || array_to_tsvector(array['sudden'])
    where extract(epoch from at)::bigint / 3600 % 8 = 0 and at > timestamptz '2026-02-28' - 900 * interval '1 hour'`.execute(
    db,
  );
  const undo = await pretendPosts(4 * POSTS);
  const ofTitles = new WeakSet<object>();
  let asked = 0;
  const failing = db.withPlugin({
    transformQuery({ node, queryId }) {
      if (JSON.stringify(node).includes('^sudden')) {
        ofTitles.add(queryId);
        asked++;
      }
      return node;
    },
    async transformResult({ result, queryId }) {
      if (ofTitles.has(queryId)) throw new Error('the titles could not be read');
      return result;
    },
  });
  const { total } = await listPosts(failing, { q: 'sudden', page: 1, limit: 20 }, env());
  assert.ok(total > 100 && total < MATCHES_MAX, String(total));
  assert.equal(asked, 1);
  await undo();
});

/** Says that there are so many more posts than there are; returns the undoing. */
async function pretendPosts(count: number): Promise<() => Promise<unknown>> {
  const add = async (n: number): Promise<void> => {
    await sql`
      insert into post_counts (kind, key, name, count) values ('all', '', '', ${n}::integer)
      on conflict (kind, key) do update set count = post_counts.count + excluded.count`.execute(db);
  };
  await add(count);
  return () => add(-count);
}

test('where more posts say it in their title than a search gives, these are the first to be looked for, and all', async () => {
  const undo = await pretendPosts(POSTS);
  const add = async (used: number): Promise<void> => {
    await sql`
      insert into post_words (word, used) values ('common', ${used}::integer), ('rare', ${used}::integer)
      on conflict (word) do update set used = excluded.used`.execute(db);
  };
  await add(POSTS);
  const [search, ...more] = await searchesOf('common');
  assert.match(search ?? '', /\^common/);
  assert.deepEqual([more.length, (await found('common')).total], [0, MATCHES_MAX]);
  assert.deepEqual(await titles('common'), copies(1, 1));
  // A guess that was wrong costs looks, and changes nothing.
  assert.equal((await found('rare')).total, 6);
  assert.equal((await found('common rare')).total, 6);
  assert.ok((await searchesOf('common rare')).length <= 4);
  await add(0);
  assert.equal((await searchesOf('common')).length, 2);
  await sql`delete from post_words where word in ('common', 'rare')`.execute(db);
  await undo();
});

test('a large blog finds the same, by statements whose plans are kept', async () => {
  const SAME = [
    'common',
    'common rare',
    'rare -release',
    '"of the"',
    '"the of the" wombat',
    'wombat',
    'comon',
    'zzz',
    '"common 7"',
  ];
  const all = async () => {
    const answers = [];
    for (const q of SAME) {
      for (const sort of [undefined, 'newest', 'oldest'] as const) {
        const { total, data } = await found(q, sort);
        answers.push([q, sort, total, data.slice(0, 5).map((post) => post.title)]);
      }
    }
    return answers;
  };
  const before = await all();
  const undo = await pretendPosts(LARGE);
  // From the sixth time on PostgreSQL may take the kept plan.
  for (let i = 0; i < 7; i++) assert.deepEqual(await all(), before);
  assert.ok((await searchesOf('common')).every((search) => search.includes('/*named:search-')));
  await undo();
});

test('a part of the posts is passed over where too few matches are to be expected in it', () => {
  const part = (posts: number) => ({ periods: ['=m2026-02'], posts });
  const after = (found: number) => (posts: number) => isPromising(part(posts), { posts: 1000, found }, 500);
  assert.deepEqual([4000, 16_000, 64_000, 256_000].map(after(50)), [false, true, true, true]);
  assert.deepEqual([4000, 16_000, 64_000, 256_000].map(after(1)), [false, false, false, false]);
  assert.deepEqual([640_000, 1_920_000].map(after(0)), [false, true]);
  assert.ok(isPromising(part(1000), null, 500), 'the first one');
  assert.ok(isPromising(EVERYWHERE, { posts: 1000, found: 0 }, 500), 'the last one');
});

test('between two known times the steps are guessed evenly, and none beyond the last', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 1, n));
  const known = [28, 13].map((n, i) => ({ time: day(n), posts: [1000, 4000][i] as number }));
  const steps = stepsBetween(known, null);
  assert.deepEqual(
    steps.map((step) => step.posts),
    [1000, 1414, 2000, 2828, 4000],
  );
  assert.deepEqual(
    steps.map((step) => Math.round((step.time.getTime() - Date.UTC(2026, 1, 1)) / 86_400_000) + 1),
    [28, 26, 23, 19, 13],
  );
  assert.deepEqual(stepsBetween([], null), []);
  const onwards = stepsBetween([{ time: day(28), posts: 256_000 }], { time: day(1), posts: 1_000_000 });
  assert.deepEqual(
    onwards.map(({ time, posts }) => [Math.round(posts / 1000), time.getUTCDate()]),
    [
      [256, 28],
      [362, 24],
      [512, 18],
      [724, 11],
    ],
    'and none that is nearly all',
  );
});

test('a look at all posts that takes too long ends, and what was found is the answer', onlyPostgres, async () => {
  const before = await titles('rare', 'newest');
  await sql`alter table post_search rename to kept_search`.execute(db);
  await sql`
    create function slowly() returns boolean language plpgsql cost 1000000
    as 'begin perform pg_sleep(0.3); return true; end'`.execute(db);
  await sql`create view post_search as select s.*, s.ctid from kept_search s where slowly()`.execute(db);
  try {
    // The first look has no limit, and finds what is among the newest posts.
    const found = await titles('rare', 'newest');
    assert.ok(found.length > 0 && found.length < before.length, found.join());
    assert.deepEqual(found, before.slice(0, found.length));
  } finally {
    await sql`drop view post_search`.execute(db);
    await sql`alter table kept_search rename to post_search`.execute(db);
  }
});
