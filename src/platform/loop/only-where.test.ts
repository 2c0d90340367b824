import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Loop } from './loop.ts';
import { onlyWhere } from './only-where.ts';

const loop = (steps: boolean[]): Loop => ({
  name: 'a loop',
  everyMs: 5,
  attach: () => undefined,
  async step(polled) {
    steps.push(polled);
    return true;
  },
});

test('a loop steps where it is said to, as that is at the time', async () => {
  const steps: boolean[] = [];
  let isHere = false;
  const only = onlyWhere(() => isHere, loop(steps));
  assert.equal(await only.step(true), false);
  isHere = true;
  assert.equal(await only.step(true), true);
  assert.equal(await only.step(false), true);
  isHere = false;
  assert.equal(await only.step(false), false);
  assert.deepEqual(steps, [true, false]);
});

test('it is the same loop otherwise', () => {
  const own = loop([]);
  assert.deepEqual({ ...onlyWhere(() => true, own), step: null }, { ...own, step: null });
});

test('where it cannot be told the step fails, and is tried again as any other', async () => {
  const only = onlyWhere(() => Promise.reject(new Error('away')), loop([]));
  await assert.rejects(only.step(true), /away/);
});
