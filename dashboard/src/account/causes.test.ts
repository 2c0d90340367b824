import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeText, FAILURES } from './causes.ts';

test('lists are filtered by every class of a failed attempt, and by none of another end', () => {
  assert.equal(FAILURES[0], 'HTTP_3XX');
  assert.ok(FAILURES.includes('INTERNAL'), 'faults of the service');
  assert.ok(!FAILURES.includes('REPLAYED') && !FAILURES.includes('BY_REQUEST'));
  for (const cause of [...FAILURES, 'PULLED']) assert.ok(causeText(cause), cause);
  assert.equal(causeText('UNHEARD_OF'), null);
});
