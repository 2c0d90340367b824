import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Mark } from '../reading/cache/read-cache.ts';
import type { PageReads } from './reads.ts';
import { watchReads } from './watch-reads.ts';

/** Reads over a cache that is moved by hand, which counts what it is asked for. */
function given() {
  const state = {
    marks: new Map<string, Mark>(),
    /** What has to be confirmed first. */
    doubted: new Set<string>(),
    asked: 0,
    /** Asked at the moment, and the most of it. */
    asking: 0,
    most: 0,
    mono: 0,
    fails: false,
  };
  const markOf = (key: string): Mark => {
    let mark = state.marks.get(key);
    if (!mark) state.marks.set(key, (mark = { counters: '' }));
    return mark;
  };
  const { reads, still } = watchReads({
    cache: {
      mark: (key) => (state.doubted.has(key) ? null : markOf(key)),
      async marked(key) {
        state.asked++;
        state.most = Math.max(state.most, ++state.asking);
        await Promise.resolve();
        state.asking--;
        if (state.fails) throw new Error('the database is away');
        return { ready: { etag: '"a"', bytes: '{}' }, mark: markOf(key) };
      },
    },
    createReads(cache) {
      const read = (key: string) => cache.get(key, async () => ({ body: {}, postIds: [] }));
      const known = { list: () => read('list'), taxonomy: () => read('taxonomy'), months: () => read('months') };
      const others = { comments: async () => ({ data: [] }), findings: async () => [], countPosts: async () => 3 };
      return { ...known, ...others } as unknown as PageReads;
    },
    monotonic: () => state.mono,
  });
  return { state, reads, still };
}

test('what was read is the same as long as each mark is, and nothing is asked for that', async () => {
  const { state, reads, still } = given();
  await reads.list({ page: 1, limit: 12 });
  await reads.taxonomy();
  assert.equal(state.asked, 2);
  assert.equal(await still()?.(), true);
  assert.equal(state.asked, 2);
  state.marks.set('taxonomy', { counters: '' });
  assert.equal(await still()?.(), false);
});

test('what is not known to be right is asked for', async () => {
  const { state, reads, still } = given();
  await reads.list({ page: 1, limit: 12 });
  state.doubted.add('list');
  assert.equal(await still()?.(), true);
  assert.equal(state.asked, 2);
  state.fails = true;
  await assert.rejects(async () => still()?.());
});

test('the first of those tells whether everything was dropped, and the others are asked for together', async () => {
  const { state, reads, still } = given();
  const keys = ['list', 'taxonomy', 'months'];
  await reads.list({ page: 1, limit: 12 });
  await reads.taxonomy();
  await reads.months();
  state.doubted = new Set(keys);
  assert.equal(await still()?.(), true);
  assert.deepEqual([state.asked, state.most], [6, 2]);
  state.marks.set('months', { counters: '' });
  assert.equal(await still()?.(), false);
  state.marks.set('list', { counters: '' });
  assert.equal(await still()?.(), false);
  assert.equal(state.asked, 6 + 3 + 1);
});

test('what changed while it was read twice is not the same', async () => {
  const { state, reads, still } = given();
  await reads.list({ page: 1, limit: 12 });
  state.marks.set('list', { counters: '' });
  await reads.list({ page: 1, limit: 12 });
  assert.equal(await still()?.(), false);
});

test('with comments it is the same for a moment only', async () => {
  const { state, reads, still } = given();
  await reads.months();
  await reads.comments('a', 1);
  state.mono += 899;
  assert.equal(await still()?.(), true);
  state.mono += 1;
  assert.equal(await still()?.(), false);
});

describe('of what is read without the cache nothing can be told', () => {
  test('of a search', async () => {
    const { reads, still } = given();
    await reads.list({ page: 1, limit: 12 });
    await reads.findings('a', []);
    assert.equal(still(), null);
  });

  test('of a number of posts', async () => {
    const { reads, still } = given();
    assert.equal(await reads.countPosts(), 3);
    assert.equal(still(), null);
  });
});
