import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpTogether } from './look-up-together.ts';

test('those who ask at once, or while a reading runs, share one; what is given is not older than the asking', async () => {
  const readings: string[][] = [];
  let value = 1;
  let gate: Promise<void> = Promise.resolve();
  const lookUp = lookUpTogether(async (keys: readonly string[]) => {
    readings.push([...keys]);
    const found = new Map(keys.filter((key) => key !== 'none').map((key) => [key, value]));
    await gate;
    return found;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const first = Promise.all([lookUp('a'), lookUp('b'), lookUp('a'), lookUp('none')]);
  while (readings.length === 0) await new Promise(setImmediate);
  value = 2;
  const second = Promise.all([lookUp('a'), lookUp('c')]);
  resolve();
  assert.deepEqual(await first, [1, 1, 1, undefined]);
  assert.deepEqual(await second, [2, 2]);
  assert.deepEqual(readings, [
    ['a', 'b', 'none'],
    ['a', 'c'],
  ]);
});

test('a failure is told to those who shared the reading, and to nobody after it', async () => {
  let fails = true;
  const lookUp = lookUpTogether(async (keys: readonly number[]) => {
    if (fails) throw new Error('the database is away');
    return new Map(keys.map((key) => [key, key]));
  });
  const [one, two] = [lookUp(1), lookUp(2)];
  await assert.rejects(one, /away/);
  await assert.rejects(two, /away/);
  fails = false;
  assert.equal(await lookUp(1), 1);
});

test('a reading that gives no answer holds up the next one for a second, and those who wait for it alone', async () => {
  const { promise: never } = Promise.withResolvers<ReadonlyMap<string, number>>();
  let readings = 0;
  const lookUp = lookUpTogether<string, number>((keys) => {
    readings++;
    return readings === 1 ? never : Promise.resolve(new Map(keys.map((key) => [key, readings])));
  });
  void lookUp('a');
  while (readings === 0) await new Promise(setImmediate);
  assert.equal(await lookUp('a'), 2);
  assert.equal(await lookUp('b'), 3);
});
