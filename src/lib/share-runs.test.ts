import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareRuns } from './share-runs.ts';

/** Runs that end when the test says so. */
function given(gather?: () => Promise<unknown>) {
  const runs: PromiseWithResolvers<void>[] = [];
  const ask = shareRuns(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  }, gather);
  return { ask, runs };
}
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

test('who asks before a run has begun shares it, who asks later gets the next one', async () => {
  const { ask, runs } = given();
  const [first, second] = [ask(), ask()];
  assert.equal(first, second);
  await settle();
  const late = [ask(), ask()];
  await settle();
  assert.equal(runs.length, 1, 'one at a time');
  runs[0]?.resolve();
  await first;
  await settle();
  assert.equal(runs.length, 2);
  runs[1]?.resolve();
  await Promise.all(late);
});

test('a failure is told to those who shared the run only', async () => {
  const { ask, runs } = given();
  const failing = ask();
  await settle();
  const next = ask();
  runs[0]?.reject(new Error('away'));
  await assert.rejects(failing, /away/);
  await settle();
  runs[1]?.resolve();
  await next;
});

test('while a run is being gathered for, more can share it', async () => {
  const gate = Promise.withResolvers<void>();
  const { ask, runs } = given(() => gate.promise);
  const first = ask();
  await settle();
  assert.deepEqual([ask() === first, runs.length], [true, 0]);
  gate.resolve();
  await settle();
  assert.deepEqual([ask() === first, runs.length], [false, 1]);
});
