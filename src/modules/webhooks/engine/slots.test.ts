import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Holder, Slots, type Standing } from './slots.ts';

/** As many as it gets. */
function fill(slots: Slots, standing: Standing): number {
  let n = 0;
  for (; !slots.isFullFor(standing); n++) slots.begin(standing);
  return n;
}

test('suspects get half, strangers a quarter, and the last quarter is for the trusted', () => {
  const slots = new Slots(() => 100);
  assert.deepEqual([fill(slots, 'SUSPECT'), fill(slots, 'STRANGER'), fill(slots, 'TRUSTED')], [50, 25, 25]);
});

test('a crowd of strangers that turns out to hang leaves the last quarter, wave after wave', () => {
  const slots = new Slots(() => 100);
  let taken = 0;
  for (let wave = 0; wave < 5; wave++) {
    taken += fill(slots, 'STRANGER');
    slots.recount([{ standing: 'SUSPECT', inFlight: taken }]);
  }
  assert.equal(taken, 75);
  assert.equal(slots.isFullFor('SUSPECT'), true);
  assert.equal(fill(slots, 'TRUSTED'), 25);
});

test('what is known of a holder counts for all that it has under way', () => {
  const slots = new Slots(() => 8);
  assert.equal(fill(slots, 'STRANGER'), 2);
  const holder: Holder = { standing: 'TRUSTED', inFlight: 1 };
  slots.end('STRANGER', holder);
  assert.deepEqual([slots.inFlight, fill(slots, 'STRANGER')], [1, 2]);
});

test('a process of few slots sends too', () => {
  for (const standing of ['SUSPECT', 'STRANGER', 'TRUSTED'] as const)
    assert.ok(fill(new Slots(() => 1), standing) === 1, standing);
});
