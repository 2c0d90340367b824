import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDateTime } from './date-time.ts';

test('years are 1000 to 9999, as written and in UTC', () => {
  const taken = [
    '1000-01-01T00:00:00Z',
    '1000-01-01T00:00:00-23:59',
    '1000-01-01T23:59:00+23:59',
    '1000-01-02T00:00:00+23:59',
    '9999-12-31T23:59:59.999999999Z',
    '9999-12-31T23:59:59+00:01',
    '9999-12-30T23:59:59-23:59',
  ];
  const refused = [
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '0999-12-31T23:59:59.999Z',
    '0999-12-31T23:59:59-12:00',
    '1000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+001000-01-01T00:00:00Z',
  ];
  for (const text of taken) assert.ok(isDateTime(text), text);
  for (const text of refused) assert.ok(!isDateTime(text), text);
});
