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

test('they hold little more: at each end less than a third of the whole', () => {
  const moment = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  const hours = fc.integer({ min: 4, max: 24 * 365 * 30 });
  fc.assert(
    fc.property(moment, hours, (from, length) => {
      const span = length * 3_600_000;
      const to = new Date(from.getTime() + span);
      const periods = periodsBetween(from, to) ?? [];
      const outside = [from.getTime() - 0.34 * span, to.getTime() + 0.34 * span].map((ms) => periodsOf(new Date(ms)));
      return outside.flat().every((period) => !periods.includes(period));
    }),
    { numRuns: 2000 },
  );
});

test('a whole year is one period, whatever stands before and after it', () => {
  assert.deepEqual(periodsBetween(new Date('2023-11-20'), new Date('2025-02-03')), [
    '=m2023-11',
    '=m2023-12',
    '=y2024',
    '=m2025-01',
    '=m2025-02',
  ]);
});

test('a span of many years is not narrowed', () => {
  assert.equal(periodsBetween(new Date('0001-01-01'), new Date('2026-01-01')), null);
});
