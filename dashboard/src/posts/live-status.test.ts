import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedPost } from '@posthorn/client';
import { statusAt } from './live-status.ts';

test('a scheduled post is public from its time on, and no other state follows from the time', () => {
  const of = (status: string): ManagedPost => ({ status, publishedAt: new Date(1000).toISOString() }) as ManagedPost;
  assert.deepEqual([statusAt(of('SCHEDULED'), 999), statusAt(of('SCHEDULED'), 1000)], ['SCHEDULED', 'PUBLISHED']);
  assert.equal(statusAt(of('ARCHIVED'), 2000), 'ARCHIVED');
  assert.equal(statusAt({ ...of('DRAFT'), publishedAt: null }, 2000), 'DRAFT');
});
