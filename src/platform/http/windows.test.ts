import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Windows } from './windows.ts';

function given() {
  const clock = { now: 5000 };
  return { clock, windows: new Windows(1000, () => clock.now) };
}

test('a window begins with the first count of somebody and ends after its length', () => {
  const { clock, windows } = given();
  assert.deepEqual(windows.count('a'), { count: 1, endsInMs: 1000 });
  clock.now += 400;
  assert.deepEqual(windows.count('a'), { count: 2, endsInMs: 600 });
  assert.deepEqual(windows.count('b'), { count: 1, endsInMs: 1000 });
  clock.now += 600;
  assert.deepEqual(windows.count('a'), { count: 1, endsInMs: 1000 });
  assert.deepEqual(windows.count('b'), { count: 2, endsInMs: 400 });
});

test('what has ended is not held for ever, however many come once', () => {
  const { clock, windows } = given();
  for (let i = 0; i < 10_000; i++) {
    windows.count(`address ${i}`);
    clock.now += 1;
  }
  assert.ok(windows.size <= 2001, String(windows.size));
});
