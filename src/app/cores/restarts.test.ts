import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Restarts } from './restarts.ts';

test('what ends is started at once, then after longer and longer, up to ten seconds', () => {
  const restarts = new Restarts();
  const waits = Array.from({ length: 8 }, () => restarts.ended(1000));
  assert.deepEqual(waits, [0, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test('a minute in which it was well makes the next end a first one', () => {
  const restarts = new Restarts();
  assert.deepEqual([restarts.ended(10), restarts.ended(59_999), restarts.ended(60_000)], [0, 500, 0]);
});

test('the fifth start in a row that never got ready is the last; one that did makes them five again', () => {
  const restarts = new Restarts();
  const four = Array.from({ length: 4 }, () => restarts.ended(null));
  assert.deepEqual(four, [0, 500, 1000, 2000]);
  assert.notEqual(restarts.ended(1), null);
  const next = Array.from({ length: 5 }, () => restarts.ended(null));
  assert.deepEqual(
    next.map((wait) => wait === null),
    [false, false, false, false, true],
  );
});
