import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationsOf, shares } from './durations.ts';

test('few are all picked; of many, powers of two, and some thousands in all', () => {
  assert.deepEqual(shares([10, 0, 2000]), [1, 1, 1]);
  const totals = [1_000_000, 333_333, 40, 0, 2_600];
  const every = shares(totals);
  assert.deepEqual(every, [1024, 512, 1, 1024, 4]);
  const picked = totals.reduce((sum, total, i) => sum + total / (every[i] ?? 1), 0);
  assert.ok(picked <= 5000, `${picked}`);
});

test('nothing at all', () => assert.deepEqual(shares([0, 0]), [1, 1]));

test('what was picked of a bucket stands for all of it', () => {
  const one = (bucket: number, ms: number) => ({ bucket, delay: ms * 2, durations: [ms] });
  // Ten of a bucket of ten, and one that stands for a thousand.
  const picked = [...Array.from({ length: 10 }, () => one(1, 5)), one(2, 80)];
  assert.deepEqual(durationsOf(picked, [1, 1000]), {
    attemptMs: { p50: 80, p95: 80 },
    deliveredAfterMs: { p50: 160, p95: 160 },
  });
  const failed = { bucket: 1, delay: null, durations: [null, 7.04] };
  assert.deepEqual(durationsOf([failed], [1]), { attemptMs: { p50: 7, p95: 7 }, deliveredAfterMs: null });
  assert.deepEqual(durationsOf([], [1]), { attemptMs: null, deliveredAfterMs: null });
});
