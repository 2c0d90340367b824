import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUCKETS, type Bucket, bucketStart, bucketStarts } from './time-buckets.ts';

const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const startOf = (bucket: Bucket, at: string, later = 0): string => iso(bucketStart(bucket, Date.parse(at), later));

test('a bucket begins at the full minute, hour, day, Monday and first of the month in UTC', () => {
  const at = '2026-03-01T13:45:59.999Z';
  assert.deepEqual(
    BUCKETS.map((bucket) => startOf(bucket, at)),
    ['2026-03-01T13:45', '2026-03-01T13:00', '2026-03-01T00:00', '2026-02-23T00:00', '2026-03-01T00:00'],
  );
  for (const bucket of BUCKETS) assert.equal(startOf(bucket, `${startOf(bucket, at)}Z`), startOf(bucket, at));
});

test('times before 1970 too', () => {
  assert.equal(startOf('week', '1969-12-31T12:00Z'), '1969-12-29T00:00');
  assert.equal(startOf('hour', '1969-12-31T23:59Z'), '1969-12-31T23:00');
});

test('months differ in length, also over the end of a year', () => {
  assert.equal(startOf('month', '2025-12-31T23:00Z', 1), '2026-01-01T00:00');
  assert.equal(startOf('month', '2026-01-15T00:00Z', -11), '2025-02-01T00:00');
  assert.deepEqual(
    bucketStarts('month', Date.parse('2024-01-31T00:00Z'), Date.parse('2024-03-01T00:00Z'), 10)?.map(iso),
    ['2024-01-01T00:00', '2024-02-01T00:00'],
  );
});

test('the buckets of a time span are all that have a part of it, and at most so many', () => {
  const [since, until] = ['2026-01-01T10:30Z', '2026-01-01T12:00Z'].map(Date.parse) as [number, number];
  assert.deepEqual(bucketStarts('hour', since, until, 2)?.map(iso), ['2026-01-01T10:00', '2026-01-01T11:00']);
  assert.equal(bucketStarts('hour', since, until + 1, 2), null);
  assert.equal(bucketStarts('hour', since, until, 1), null);
});
