import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentText } from '../lib/format.ts';
import { arrivedShare, arrivedText } from './arrived.ts';

test('what waits has not arrived, and what was discarded does not count', () => {
  assert.equal(arrivedShare({ total: 83, delivered: 11, discarded: 0 }), 11 / 83);
  assert.equal(arrivedShare({ total: 13, delivered: 12, discarded: 1 }), 1);
  assert.equal(arrivedShare({ total: 38, delivered: 0, discarded: 0 }), 0);
  assert.equal(percentText(arrivedShare({ total: 10_000, delivered: 9999, discarded: 0 })), '99.9%');
});

test('nothing that was sent has no share', () => {
  for (const total of [0, 3]) assert.equal(arrivedShare({ total, delivered: 0, discarded: total }), null);
});

test('a share is rounded down, and says what it leaves out', () => {
  assert.equal(percentText(1_999_999 / 2_000_000), '99.9%');
  assert.equal(percentText(0.9877), '98.7%');
  assert.equal(percentText(1), '100%');
  assert.equal(arrivedText({ total: 13, delivered: 12, discarded: 1 }), '100% arrived, 1 discarded');
  assert.equal(arrivedText({ total: 4, delivered: 3, discarded: 0 }), '75% arrived');
});
