import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate, GateFullError } from './gate.ts';

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

test('a gate runs at most its width at once, in order of asking, and refuses beyond its queue', async () => {
  const gate = createGate(2, 3);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const call = (n: number): Promise<number> =>
    gate(async () => {
      started.push(n);
      await new Promise<void>((done) => (finish[n] = done));
      return n;
    });

  const calls = [0, 1, 2, 3, 4].map(call);
  await assert.rejects(call(5), GateFullError);
  await settle();
  assert.deepEqual(started, [0, 1]);
  finish[1]?.();
  await settle();
  assert.deepEqual(started, [0, 1, 2]);
  finish[0]?.();
  finish[2]?.();
  await settle();
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  finish[3]?.();
  finish[4]?.();
  assert.deepEqual(await Promise.all(calls), [0, 1, 2, 3, 4]);
});

test('a call that throws leaves its place to the next', async () => {
  const gate = createGate(1, 10);
  const failed = gate(() => Promise.reject(new Error('no')));
  const next = gate(async () => 'yes');
  await assert.rejects(failed, /no/);
  assert.equal(await next, 'yes');
  assert.equal(await gate(async () => 'again'), 'again');
});
