import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryJob } from '../../../client/src/index.ts';
import { begunJob } from './delivery-jobs.ts';

test('an answer without the id of a job is no job', () => {
  const job = { id: '01900000-0000-7000-8000-000000000000', state: 'RUNNING' } as DeliveryJob;
  assert.equal(begunJob(job), job);
  const preview = { count: 2, countIsExact: true, endpoints: [] };
  for (const answer of [preview, { ...job, id: undefined } as unknown as DeliveryJob])
    assert.throws(() => begunJob(answer), /id is missing/);
});
