import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterDecision } from './after-decision.ts';

test('one goes on behind what was decided, at the end of the list before it', () => {
  const ids = ['a', 'b', 'c', 'd'];
  assert.equal(afterDecision(ids, ['b'], 'b'), 'c');
  assert.equal(afterDecision(ids, ['b', 'c'], 'b'), 'd');
  assert.equal(afterDecision(ids, ['a', 'c'], 'c'), 'd');
  assert.equal(afterDecision(ids, ['b', 'c', 'd'], 'c'), 'a');
  assert.equal(afterDecision(ids, ids, 'a'), undefined);
});
