import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitsFor } from './waits-for.ts';

const DUE = Date.parse('2026-01-01T00:00:00.000Z');
const PENDING = {
  status: 'PENDING',
  nextAttemptAt: new Date(DUE).toISOString(),
  isTest: false,
  replayOf: null,
} as const;
const HELD = { ...PENDING, status: 'HELD', nextAttemptAt: null } as const;
const ACTIVE = { status: 'ACTIVE', isProbing: false } as const;
const PAUSED = { status: 'PAUSED', isProbing: false } as const;
const DISABLED = { status: 'DISABLED', isProbing: false } as const;
const PROBING = { ...DISABLED, isProbing: true } as const;

test('what has a time, or is held, waits until a paused endpoint is resumed', () => {
  for (const delivery of [PENDING, HELD]) assert.equal(waitsFor(delivery, PAUSED, DUE), 'RESUME');
});

test('and until a disabled one is open, which it may be by itself', () => {
  for (const delivery of [PENDING, HELD]) assert.equal(waitsFor(delivery, DISABLED, DUE), 'OPENING');
});

test('while that is tried, all but the delivery that it is tried with wait on', () => {
  assert.equal(waitsFor(HELD, PROBING, DUE), 'OPENING');
  assert.equal(waitsFor(PENDING, PROBING, DUE - 1), 'OPENING', 'its turn has not come, so it is another one');
  assert.equal(waitsFor(PENDING, PROBING, DUE), null);
});

test('nothing waits for an endpoint that is open, or is not known', () => {
  for (const endpoint of [ACTIVE, undefined])
    for (const delivery of [PENDING, HELD]) assert.equal(waitsFor(delivery, endpoint, DUE), null);
});

test('what was asked for, is under way or is over does not wait', () => {
  const others = [
    { ...PENDING, isTest: true },
    { ...PENDING, replayOf: '0197a000-0000-7000-8000-000000000000' },
    { ...PENDING, nextAttemptAt: null },
    { ...PENDING, status: 'DEAD', nextAttemptAt: null },
    { ...PENDING, status: 'DELIVERED', nextAttemptAt: null },
  ] as const;
  for (const delivery of others)
    for (const endpoint of [PAUSED, DISABLED, PROBING]) assert.equal(waitsFor(delivery, endpoint, DUE), null);
});
