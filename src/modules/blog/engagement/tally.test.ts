import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Action, type CountedPost, Tally } from './tally.ts';
import { addActivity, NO_TREND, WEIGHTS } from './trend.ts';

const now = new Date('2026-03-01T12:00:00Z');
const LIKED_AT = now.getTime() - 1000;
/** A post with at most one like, which is all that its trend has in it. */
const post = (name: string, likes: 0 | 1): [string, CountedPost] => {
  const trend = likes === 1 ? addActivity(NO_TREND, WEIGHTS.like, LIKED_AT) : NO_TREND;
  return [name, { postId: `id of ${name}`, likes, views: 10, shares: 20, trend }];
};

const slug = fc.constantFrom('a', 'b', 'old-a', 'nothing');
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constantFrom('like', 'unlike'), slug, userId: fc.constantFrom('u', 'v', 'w') }),
  fc.record({ kind: fc.constant('view'), slug }),
  fc.record({ kind: fc.constant('share'), slug, channel: fc.constantFrom('x', 'y') }),
);

test('whatever arrives in one batch: each is answered as if alone, and the counters move as their rows do', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const posts = new Map([post('a', 1), post('b', 0), ['old-a', post('a', 1)[1]]]);
      const tally = new Tally(posts, [{ postId: 'id of a', userId: 'u', at: LIKED_AT }], now);
      const likes: Record<string, Set<string>> = { a: new Set(['u']), b: new Set() };
      const views: Record<string, number> = { a: 10, b: 10 };
      const shares: Record<string, number> = { a: 20, b: 20 };
      for (const one of actions) {
        const outcome = tally.count(one);
        const name = one.slug === 'old-a' ? 'a' : one.slug;
        const liked = likes[name];
        if (!liked) assert.deepEqual(outcome, { is: 'missing' });
        else if (one.kind === 'view') {
          assert.deepEqual(outcome, { is: 'counted', counted: { viewCount: ++views[name]! } });
        } else if (one.kind === 'share') {
          assert.deepEqual(outcome, { is: 'counted', counted: { shareCount: ++shares[name]! } });
        } else {
          if (one.kind === 'like') liked.add(one.userId);
          else liked.delete(one.userId);
          assert.deepEqual(outcome, {
            is: 'counted',
            counted: { liked: one.kind === 'like', likeCount: liked.size },
          });
        }
      }
      const changes = tally.changes();
      for (const { postId, ...counters } of changes.counters) {
        const name = postId.slice(-1);
        assert.deepEqual(
          [counters.likes, counters.views, counters.shares],
          [likes[name]?.size, views[name], shares[name]],
        );
        const nothing = counters.likes === 0 && counters.views === 10 && counters.shares === 20;
        assert.equal(counters.trend > NO_TREND, !nothing);
      }
      const rows = new Set(['id of a u']);
      for (const like of changes.removed) assert.ok(rows.delete(`${like.postId} ${like.userId}`));
      for (const like of changes.added) {
        assert.ok(!rows.has(`${like.postId} ${like.userId}`), 'the key of the row is free');
        rows.add(`${like.postId} ${like.userId}`);
      }
      assert.deepEqual(
        rows,
        new Set(Object.entries(likes).flatMap(([name, users]) => [...users].map((u) => `id of ${name} ${u}`))),
      );
      const sum = (of: { postId: string; count: number }[], name: string): number =>
        of.filter((o) => o.postId === `id of ${name}`).reduce((total, o) => total + o.count, 0);
      for (const name of ['a', 'b']) {
        assert.equal(10 + sum(changes.views, name), views[name]);
        assert.equal(20 + sum(changes.shares, name), shares[name]);
      }
    }),
  );
});

test('what changes nothing is written nowhere', () => {
  const tally = new Tally(new Map([post('a', 1)]), [{ postId: 'id of a', userId: 'u', at: 0 }], now);
  tally.count({ kind: 'like', slug: 'a', userId: 'u' });
  tally.count({ kind: 'unlike', slug: 'a', userId: 'v' });
  tally.count({ kind: 'view', slug: 'b' });
  assert.deepEqual(tally.changes(), { counters: [], added: [], removed: [], views: [], shares: [] });
});
