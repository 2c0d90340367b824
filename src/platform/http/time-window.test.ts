import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUCKETS } from '../../lib/time-buckets.ts';
import { windowOf } from './time-window.ts';

const now = new Date('2026-03-18T13:45:10.500Z');
const rules = { now, buckets: BUCKETS, usual: 'hour' } as const;
const days = { now, buckets: ['day', 'week', 'month'], usual: 'day' } as const;

const told = (asked: Parameters<typeof windowOf>[0], by: Parameters<typeof windowOf>[1] = rules) => {
  const { since, until, bucket, starts } = windowOf(asked, by);
  return [since.toISOString(), until.toISOString(), bucket, starts.length];
};

test('nothing asked for: the last 24 hours, this one included', () => {
  assert.deepEqual(told({}), ['2026-03-17T14:00:00.000Z', now.toISOString(), 'hour', 24]);
});

test('so many buckets of the length that is asked for, up to `until`', () => {
  assert.deepEqual(told({ bucket: 'minute' }), ['2026-03-18T12:46:00.000Z', now.toISOString(), 'minute', 60]);
  assert.deepEqual(told({ bucket: 'month', until: '2026-01-01T00:00:00Z' }), [
    '2025-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    'month',
    12,
  ]);
});

test('the ends stay as they are asked for, in any offset', () => {
  assert.deepEqual(told({ since: '2026-03-18T10:30:00+02:00', bucket: 'hour' }), [
    '2026-03-18T08:30:00.000Z',
    now.toISOString(),
    'hour',
    6,
  ]);
});

test('the bucket follows from the length of time', () => {
  for (const [since, bucket, count] of [
    ['2026-03-18T12:00:00Z', 'minute', 106],
    ['2026-03-16T00:00:00Z', 'hour', 62],
    ['2026-01-01T00:00:00Z', 'day', 77],
    ['2024-01-01T00:00:00Z', 'week', 116],
    ['1990-01-01T00:00:00Z', 'month', 435],
  ] as const) {
    assert.deepEqual(told({ since }).slice(2), [bucket, count]);
  }
});

test('a thousand buckets and no more; an end that is not after the beginning', () => {
  const at = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();
  assert.equal(told({ since: at(999), bucket: 'minute' })[3], 1000);
  const refused = { code: 'VALIDATION_ERROR' };
  assert.throws(() => told({ since: at(1000), bucket: 'minute' }), refused);
  assert.throws(() => told({ since: '1000-01-01T00:00:00Z' }), refused);
  assert.throws(() => told({ since: now.toISOString() }), refused);
  assert.throws(() => told({ since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' }), refused);
});

test('by whole days, a part of one is taken for all of it', () => {
  const [midnight, next] = ['2026-03-18T00:00:00.000Z', '2026-03-19T00:00:00.000Z'];
  assert.deepEqual(told({}, days), ['2026-02-17T00:00:00.000Z', next, 'day', 30]);
  assert.deepEqual(told({ since: '2026-03-18T09:00:00Z', until: '2026-03-18T10:00:00Z' }, days), [
    midnight,
    next,
    'day',
    1,
  ]);
  assert.deepEqual(told({ since: midnight, until: next }, days), [midnight, next, 'day', 1]);
  assert.throws(() => told({ since: next, until: midnight }, days), { code: 'VALIDATION_ERROR' });
  assert.equal(told({ since: '9999-12-01T00:00:00Z', until: '9999-12-31T12:00:00Z' }, days)[3], 30);
});
