import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobView } from './schemas.ts';
import type { JobRow } from './store.ts';

const at = new Date('2026-01-01T00:00:00Z');
const row: JobRow = {
  id: '019b7764-0000-7000-8000-000000000000',
  kind: 'REPLAY',
  state: 'RUNNING',
  account_id: null,
  filter: { status: 'DEAD' },
  reason: null,
  rate_per_second: 50,
  skip_replayed: false,
  total: 3,
  total_is_exact: true,
  cursor: null,
  done: 1,
  skipped: {},
  next_at: at,
  failures: 1,
  error: 'new row violates check constraint "inside"',
  request_id: 'r1',
  created_at: at,
  started_at: at,
  ended_at: null,
};

const told = (of: Partial<JobRow>): string => jobView({ ...row, ...of }, undefined).error ?? 'nothing';

test('what went wrong is told by what becomes of the job', () => {
  assert.match(told({}), /failed at a portion, and tries it again/);
  for (const state of ['FAILED', 'CANCELLED', 'COMPLETED'] as const)
    assert.doesNotMatch(told({ state }), /tries/, state);
  assert.match(told({ state: 'CANCELLED' }), /before it was cancelled/);
  assert.match(told({ state: 'FAILED' }), /was given up.*Begin another with the same filter.*was replayed already/);
  const discard = told({ state: 'FAILED', kind: 'DISCARD' });
  assert.match(discard, /Begin another with the same filter\.$/);
  for (const state of ['RUNNING', 'FAILED', 'CANCELLED'] as const)
    assert.doesNotMatch(told({ state }), /constraint/, 'nothing of the inside');
  assert.equal(told({ state: 'COMPLETED', error: null }), 'nothing');
});
