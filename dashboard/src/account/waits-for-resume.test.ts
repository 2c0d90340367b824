import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitsForResume } from './waits-for-resume.ts';

const PENDING = {
  status: 'PENDING',
  nextAttemptAt: '2026-01-01T00:00:00.000Z',
  isTest: false,
  replayOf: null,
} as const;
const ACTIVE = { status: 'ACTIVE', isProbing: false } as const;
const PAUSED = { status: 'PAUSED', isProbing: false } as const;
const DISABLED = { status: 'DISABLED', isProbing: false } as const;

test('what has a time, or is held, waits for a paused or disabled endpoint', () => {
  const held = { ...PENDING, status: 'HELD', nextAttemptAt: null } as const;
  for (const endpoint of [PAUSED, DISABLED])
    for (const delivery of [PENDING, held]) assert.equal(waitsForResume(delivery, endpoint), true);
});

test('nothing waits for an endpoint that is open, or is not known', () => {
  for (const endpoint of [ACTIVE, undefined]) assert.equal(waitsForResume(PENDING, endpoint), false);
});

test('what was asked for, is under way or is over does not wait', () => {
  const others = [
    { ...PENDING, isTest: true },
    { ...PENDING, replayOf: '0197a000-0000-7000-8000-000000000000' },
    { ...PENDING, nextAttemptAt: null },
    { ...PENDING, status: 'DEAD', nextAttemptAt: null },
    { ...PENDING, status: 'DELIVERED', nextAttemptAt: null },
  ] as const;
  for (const delivery of others) assert.equal(waitsForResume(delivery, PAUSED), false);
  assert.equal(waitsForResume(PENDING, { ...DISABLED, isProbing: true }), false);
});
