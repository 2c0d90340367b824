import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOf } from './loop-load.ts';

test('a load is that of the quarter of a second before, whatever was before that', () => {
  let now = 0;
  const loop = { idle: 0, active: 0 };
  const pass = (idle: number, active: number): void => {
    loop.idle += idle;
    loop.active += active;
    now += idle + active;
  };
  const load = loadOf(
    () => ({ ...loop }),
    () => now,
  );
  assert.equal(load(), 0);
  pass(0, 249);
  assert.equal(load(), 0, 'not looked at before its time');
  pass(51, 0);
  assert.equal(load(), 0.83);
  pass(240, 0);
  assert.equal(load(), 0.83);
  pass(10, 0);
  assert.equal(load(), 0);
  pass(0, 1000);
  assert.equal(load(), 1);
});

test('a loop that has not begun is idle', () => {
  let now = 0;
  const load = loadOf(
    () => ({ idle: 0, active: 0 }),
    () => now,
  );
  now = 5000;
  assert.equal(load(), 0);
});
