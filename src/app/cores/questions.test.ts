import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Questions } from './questions.ts';

test('answers find their questions in any order; what has no answer in time is null, and a late one is nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const questions = new Questions<string>(1000);
  const sent: number[] = [];
  const asked = Array.from({ length: 3 }, () => questions.ask((id) => sent.push(id)));
  questions.answered(sent[1] as number, 'second');
  questions.answered(sent[0] as number, 'first');
  t.mock.timers.tick(1000);
  questions.answered(sent[2] as number, 'late');
  questions.answered(999, 'to nothing');
  assert.deepEqual(await Promise.all(asked), ['first', 'second', null]);
});

test('an answer that comes while the question is sent counts', async () => {
  const questions = new Questions<number>(1000);
  assert.equal(await questions.ask((id) => questions.answered(id, 7)), 7);
});
