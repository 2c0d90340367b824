import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentText } from '../lib/format.ts';
import { arrivedShare } from './arrived.ts';

test('what waits has not arrived, and what was discarded does not count', () => {
  assert.equal(arrivedShare({ total: 83, delivered: 11, discarded: 0 }), 11 / 83);
  assert.equal(arrivedShare({ total: 13, delivered: 12, discarded: 1 }), 1);
  assert.equal(arrivedShare({ total: 38, delivered: 0, discarded: 0 }), 0);
  assert.equal(percentText(arrivedShare({ total: 10_000, delivered: 9999, discarded: 0 })), '99.9%');
});

test('nothing that was sent has no share', () => {
  for (const total of [0, 3]) assert.equal(arrivedShare({ total, delivered: 0, discarded: total }), null);
});
