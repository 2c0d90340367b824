import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOf } from './retention.ts';

test('days of retention are those that were typed, or none: 0 is not made 1, after which all but a day would go', () => {
  assert.deepEqual(
    [1, 30, '30', 36_500].map((typed) => daysOf(typed)),
    [1, 30, 30, 36_500],
  );
  assert.equal(daysOf(''), null);
  for (const typed of [0, '0', -1, '-', '-0', 1.5, 36_501, '99999999999999999999', ' ', 'x'])
    assert.equal(daysOf(typed), 'fault', JSON.stringify(typed));
});
