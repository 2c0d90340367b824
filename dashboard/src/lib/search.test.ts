import assert from 'node:assert/strict';
import { test } from 'node:test';
import { given } from './given.ts';
import { moment, pageNumber } from './search.ts';

test('an address that is mistyped gives nothing that the service refuses', () => {
  assert.deepEqual([1, 2, 10_000, 10_001, 0, 1.5, '3'].map(pageNumber), [
    undefined,
    2,
    10_000,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(['2026', 2026, '2026-03-01T09:05:00+01:00', 'x', '', undefined].map(moment), [
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-03-01T08:05:00.000Z',
    undefined,
    undefined,
    undefined,
  ]);
});

test('what is not given is left out, and what is null, empty or false is not', () => {
  const empty: string | undefined = undefined;
  assert.deepEqual(Object.keys(given({ a: empty, b: null, c: '', d: false, e: 0 })), ['b', 'c', 'd', 'e']);
});
