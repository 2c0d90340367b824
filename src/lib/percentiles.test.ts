import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentilesOf } from './percentiles.ts';

const even = (values: number[]) => values.map((value) => ({ value, weight: 1 }));

test('by nearest rank, in whatever order', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.deepEqual(percentilesOf(even(hundred)), { p50: 50, p95: 95 });
  assert.deepEqual(percentilesOf(even([7])), { p50: 7, p95: 7 });
  assert.deepEqual(percentilesOf(even([1, 9])), { p50: 1, p95: 9 });
  assert.equal(percentilesOf([]), null);
});

test('a value that stands for many counts as often', () => {
  const tenths = (value: number, times: number) => Array.from({ length: 10 }, () => ({ value, weight: times / 10 }));
  assert.deepEqual(percentilesOf([...tenths(5, 94), ...tenths(80, 6)]), { p50: 5, p95: 80 });
  assert.deepEqual(percentilesOf([...tenths(5, 95), ...tenths(80, 5)]), { p50: 5, p95: 5 });
});
