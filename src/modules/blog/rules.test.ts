import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { PostTimes } from './post.ts';
import { instantOf, type PostState, STATES, stateOf, type Transition, transition, wasPublic } from './rules.ts';

const now = new Date('2026-03-01T12:00:00Z');
const past = new Date('2026-02-01T00:00:00Z');
const earlier = new Date('2026-01-01T00:00:00Z');
const future = new Date('2026-04-01T00:00:00Z');
const later = new Date('2026-05-01T00:00:00Z');

const IN: Record<PostState, PostTimes> = {
  DRAFT: { publishedAt: null, archivedAt: null, firstPublicAt: null },
  SCHEDULED: { publishedAt: future, archivedAt: null, firstPublicAt: future },
  PUBLISHED: { publishedAt: past, archivedAt: null, firstPublicAt: past },
  ARCHIVED: { publishedAt: past, archivedAt: past, firstPublicAt: past },
};

/** The contract's state table, cell by cell: state and publishedAt afterwards; null: no change; 409: INVALID_STATE. */
type Cell = [PostState, Date | null] | null | 409;
const publishAtLater = {
  DRAFT: ['SCHEDULED', later],
  SCHEDULED: ['SCHEDULED', later],
  PUBLISHED: 409,
  ARCHIVED: ['SCHEDULED', later],
} as const;
const TABLE: Record<string, { kind: Transition; at?: Date; cells: Record<PostState, Readonly<Cell>> }> = {
  publish: {
    kind: 'publish',
    cells: { DRAFT: ['PUBLISHED', now], SCHEDULED: ['PUBLISHED', now], PUBLISHED: null, ARCHIVED: ['PUBLISHED', past] },
  },
  'publish with `at` to come': {
    kind: 'publishAt',
    at: later,
    cells: publishAtLater,
  },
  'publish with `at` in the past': {
    kind: 'publishAt',
    at: earlier,
    cells: {
      DRAFT: ['PUBLISHED', earlier],
      SCHEDULED: ['PUBLISHED', earlier],
      PUBLISHED: 409,
      ARCHIVED: ['PUBLISHED', earlier],
    },
  },
  unpublish: {
    kind: 'unpublish',
    cells: { DRAFT: null, SCHEDULED: ['DRAFT', null], PUBLISHED: ['ARCHIVED', past], ARCHIVED: ['DRAFT', null] },
  },
};

describe('state table', () => {
  for (const [name, { kind, at, cells }] of Object.entries(TABLE)) {
    for (const from of STATES) {
      const cell = cells[from];
      const says = cell === null ? 'no change' : cell === 409 ? '409' : cell[0];
      test(`${from}, ${name}: ${says}`, () => {
        if (cell === 409) return assert.throws(() => transition(kind, IN[from], now, at), { code: 'INVALID_STATE' });
        const after = transition(kind, IN[from], now, at);
        if (cell === null || after === null) return assert.equal(after, cell);
        assert.equal(stateOf(after, now), cell[0]);
        assert.deepEqual(after.publishedAt, cell[1]);
      });
    }
  }
});

test('a post that was archived before its date is public at once when it is published', () => {
  const odd: PostTimes = { publishedAt: future, archivedAt: past, firstPublicAt: future };
  assert.deepEqual(transition('publish', odd, now), { publishedAt: now, archivedAt: null, firstPublicAt: now });
});

test('a scheduled post is public from its very moment on', () => {
  assert.equal(stateOf(IN.SCHEDULED, new Date(future.getTime() - 1)), 'SCHEDULED');
  assert.equal(stateOf(IN.SCHEDULED, future), 'PUBLISHED');
});

test('whatever is done at whatever time, a post was public exactly if it was so at some moment', () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 50 }),
    kind: fc.constantFrom<Transition>('publish', 'publishAt', 'unpublish'),
    at: fc.integer({ min: -30, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let post = IN.DRAFT;
      let time = now.getTime();
      let seen = false;
      for (const { wait, kind, at } of steps) {
        // Between two actions only the clock moves a post: it is public at the end of the wait if ever in it.
        time += wait;
        seen ||= stateOf(post, new Date(time)) === 'PUBLISHED';
        try {
          post = transition(kind, post, new Date(time), new Date(time + at)) ?? post;
        } catch {
          assert.equal(stateOf(post, new Date(time)), 'PUBLISHED');
        }
        seen ||= stateOf(post, new Date(time)) === 'PUBLISHED';
        assert.equal(wasPublic(post, new Date(time)), seen);
        assert.ok(post.archivedAt === null || post.publishedAt !== null);
      }
    }),
  );
});

test('instantOf refuses what is on no calendar or out of range', () => {
  assert.deepEqual(instantOf('2026-01-01T00:00:00+02:00', 'at'), new Date('2025-12-31T22:00:00Z'));
  for (const text of ['2026-02-30T23:59:60Z', '9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00Z', 'x']) {
    assert.throws(() => instantOf(text, 'at'), { code: 'VALIDATION_ERROR' }, text);
  }
});
