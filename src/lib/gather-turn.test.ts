import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatherTurn } from './gather-turn.ts';

test('what is asked for in one turn is asked for once, and each gets its own answer', async () => {
  const asked: (readonly number[])[] = [];
  const double = gatherTurn(async (keys: readonly number[]) => (asked.push(keys), keys.map((n) => 2 * n)));
  assert.deepEqual(await Promise.all([double(1), double(2), double(1)]), [2, 4, 2]);
  assert.equal(await double(1), 2, 'nothing is remembered');
  assert.deepEqual(asked, [[1, 2, 1], [1]]);
});

test('who asks while an answer is awaited does not share it', async () => {
  const gates: (() => void)[] = [];
  const seen: number[] = [];
  const ask = gatherTurn(async (keys: readonly number[]) => {
    await new Promise<void>((done) => gates.push(done));
    return keys.map(() => seen.length);
  });
  const first = ask(1);
  while (gates.length === 0) await new Promise(setImmediate);
  seen.push(1);
  const second = ask(2);
  while (gates.length === 1) await new Promise(setImmediate);
  for (const open of gates) open();
  assert.equal(await second, 1);
  await first;
});

test('a failure is told to all of its turn, and to nobody after it', async () => {
  let fails = true;
  const ask = gatherTurn(async (keys: readonly number[]) => {
    if (fails) throw new Error('away');
    return keys;
  });
  const told = await Promise.allSettled([ask(1), ask(2)]);
  assert.deepEqual(
    told.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  assert.equal(await ask(3), 3);
});
