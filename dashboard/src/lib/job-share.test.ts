import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobShare } from './job-share.ts';

const JOB = { done: 0, skipped: {}, skipReplayed: false, total: 10, totalIsExact: true, state: 'RUNNING' } as const;

test('a job is as far as what it did and left out of its total', () => {
  assert.equal(jobShare(JOB), 0);
  assert.equal(jobShare({ ...JOB, done: 4, skipped: { CHANGED: 1 } }), 50);
  assert.equal(jobShare({ ...JOB, done: 4, skipped: { EXPIRED: 5000, ENDPOINT_DELETED: 70 } }), 40);
  assert.equal(jobShare({ ...JOB, done: 4, skipped: { REPLAYED: 5 }, skipReplayed: true }), 40);
  assert.equal(jobShare({ ...JOB, done: 40 }), 100);
});

test('one of nothing is over, and one that is over is whole', () => {
  assert.equal(jobShare({ ...JOB, total: 0 }), 100);
  assert.equal(jobShare({ ...JOB, total: 0, totalIsExact: false }), 0);
  assert.equal(jobShare({ ...JOB, state: 'COMPLETED' }), 100);
});
