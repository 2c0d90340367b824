import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { periodsBetween, periodsOf } from './periods.ts';

test('a moment has its hour, day, month and year', () => {
  assert.deepEqual(periodsOf(new Date('2026-03-01T12:34:56Z')), [
    '=h2026-03-01T12',
    '=d2026-03-01',
    '=m2026-03',
    '=y2026',
  ]);
});

test('the periods between two moments hold every moment between them, and are few', () => {
  const moment = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, moment, moment, (...moments) => {
      const [from, at, to] = moments.toSorted((a, b) => a.getTime() - b.getTime()) as [Date, Date, Date];
      const periods = periodsBetween(from, to);
      return (
        periods !== null &&
        periods.length <= 62 &&
        [from, at, to].every((m) => periodsOf(m).some((p) => periods.includes(p)))
      );
    }),
    { numRuns: 2000 },
  );
});

test('a span of many years is not narrowed', () => {
  assert.equal(periodsBetween(new Date('0001-01-01'), new Date('2026-01-01')), null);
});
