import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bellText } from './bell-text.ts';

test('a number beside a bell has two digits at most', () => {
  assert.deepEqual([1, 99, 100, 12_345].map(bellText), ['1', '99', '99+', '99+']);
});
