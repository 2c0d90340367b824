import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Loop } from './loop.ts';
import { pollsWhere } from './polls-where.ts';

const loop = (steps: boolean[]): Loop => ({
  name: 'a loop',
  everyMs: 5,
  attach: () => undefined,
  async step(polled) {
    steps.push(polled);
    return true;
  },
});

test('a loop polls where it is said to, as that is at the time, and elsewhere every ten seconds', async () => {
  const steps: boolean[] = [];
  let [isHere, now] = [false, 0];
  const some = pollsWhere(
    () => isHere,
    loop(steps),
    () => now,
  );
  assert.equal(await some.step(true), true, 'the first time');
  assert.equal(await some.step(true), false);
  isHere = true;
  assert.equal(await some.step(true), true);
  isHere = false;
  now += 9999;
  assert.equal(await some.step(true), false);
  now += 1;
  assert.equal(await some.step(true), true);
  assert.equal(steps.length, 3);
});

test('woken, it steps everywhere', async () => {
  const steps: boolean[] = [];
  const some = pollsWhere(() => false, loop(steps));
  await some.step(true);
  assert.equal(await some.step(false), true);
  assert.equal(await some.step(true), false);
  assert.deepEqual(steps, [true, false]);
});

test('elsewhere a step that failed is repeated by the next poll', async () => {
  let fails = false;
  const some = pollsWhere(() => false, {
    ...loop([]),
    step: () => (fails ? Promise.reject(new Error('away')) : Promise.resolve(true)),
  });
  await some.step(true);
  for (const polled of [false, true]) {
    fails = true;
    await assert.rejects(some.step(polled), /away/);
  }
  fails = false;
  assert.equal(await some.step(true), true);
  assert.equal(await some.step(true), false);
});

test('it is the same loop otherwise', () => {
  const own = loop([]);
  assert.deepEqual({ ...pollsWhere(() => true, own), step: null }, { ...own, step: null });
});

test('a poll of which it cannot be told whether it is to look fails', async () => {
  const some = pollsWhere(() => Promise.reject(new Error('away')), loop([]));
  await some.step(false);
  await assert.rejects(some.step(true), /away/);
});
