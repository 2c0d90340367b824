import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredWithin } from './reachable.ts';

test('an answer is passed on; a failure is no', async () => {
  const answers = [async () => true, async () => false, () => Promise.reject(new Error('away'))];
  const ask = answeredWithin(() => (answers.shift() as () => Promise<boolean>)());
  assert.deepEqual([await ask(), await ask(), await ask()], [true, false, false]);
});

test('what is not answered in time is no, asked once for all who wait, and asked again after that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: ((answer: boolean) => void)[] = [];
  const ask = answeredWithin(() => new Promise((answer) => asked.push(answer)));
  const waiting = [ask(), ask()];
  t.mock.timers.tick(1999);
  waiting.push(ask());
  let answered = false;
  void waiting[0]?.then(() => (answered = true));
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([asked.length, answered], [1, false]);
  t.mock.timers.tick(1);
  assert.deepEqual(await Promise.all(waiting), [false, false, false]);
  const next = ask();
  asked[0]?.(false);
  asked[1]?.(true);
  assert.equal(await next, true, 'a late answer to an earlier question counts for nothing');
});
