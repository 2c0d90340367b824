import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HISTOGRAM_SIZE, percentile, placeOf } from './histogram.ts';

const of = (...durations: number[]): number[] => {
  const counts = Array<number>(HISTOGRAM_SIZE).fill(0);
  for (const ms of durations) counts[placeOf(ms)] = (counts[placeOf(ms)] ?? 0) + 1;
  return counts;
};

test('a percentile is told to within a fifth, from a millisecond to a minute', () => {
  for (const ms of [1, 2, 3, 7, 40, 99, 250, 1000, 1414, 5000, 15_000, 60_000]) {
    const told = percentile(of(ms), 0.5) ?? 0;
    assert.ok(Math.abs(told - ms) <= Math.max(1, 0.2 * ms), `${ms}: ${told}`);
  }
});

test('half of the attempts and 95 of 100', () => {
  const counts = of(...Array<number>(94).fill(10), ...Array<number>(6).fill(1000));
  const [p50, p95] = [percentile(counts, 0.5) ?? 0, percentile(counts, 0.95) ?? 0];
  assert.ok(p50 > 8 && p50 < 12, String(p50));
  assert.ok(p95 > 800 && p95 < 1200, String(p95));
});

test('none of nothing; what is out of bounds counts at their ends', () => {
  assert.equal(percentile(of(), 0.5), null);
  assert.equal(percentile(of(0), 0.5), 1);
  assert.equal(placeOf(1e9), HISTOGRAM_SIZE - 1);
});
