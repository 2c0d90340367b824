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

/** The 23 years that `moment` reaches into cost 27 times 23; what leaves two of them out, so 21 or more, is chosen up to 25. */
const FEW = 25;

test('the periods between two moments hold every moment between them, and are few', () => {
  const moment = fc.date({ min: new Date('2018-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, moment, moment, (...moments) => {
      const [from, at, to] = moments.toSorted((a, b) => a.getTime() - b.getTime()) as [Date, Date, Date];
      const periods = periodsBetween(from, to);
      return (
        periods !== null &&
        periods.length <= FEW &&
        [from, at, to].every((m) => periodsOf(m).some((p) => periods.includes(p)))
      );
    }),
    { numRuns: 2000 },
  );
});

test('at most as many as are chosen instead of the years of a span', () => {
  assert.equal(periodsBetween(new Date('2018-10-05'), new Date('2040-01-01'))?.length, FEW);
});

test('a long span is a few long periods, which the index goes through faster than through many short ones', () => {
  const between = (from: string, to: string) => periodsBetween(new Date(from), new Date(to));
  assert.equal(between('2026-11-15T10:00:00Z', '2026-11-20T12:00:00Z')?.length, 6, 'days');
  assert.equal(between('2026-08-10', '2026-11-20')?.length, 4, 'months');
  assert.deepEqual(between('2025-07-12', '2026-11-20'), ['=y2025', '=y2026']);
});

test('what they hold, times how many they are, is no more than with the shortest ones', () => {
  const moment = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  const hours = fc.integer({ min: 4, max: 24 * 365 * 20 });
  const DAY = 86_400_000;
  const lengthOf = (period: string): number =>
    ({ h: DAY / 24, d: DAY, m: 31 * DAY, y: 366 * DAY })[period[1] ?? ''] ?? 0;
  fc.assert(
    fc.property(moment, hours, (from, length) => {
      const span = length * 3_600_000;
      const periods = periodsBetween(from, new Date(from.getTime() + span)) ?? [];
      const held = periods.reduce((sum, period) => sum + lengthOf(period), 0);
      // A whole year for the least of it that months would take a dozen lists for.
      return periods.length > 0 && held * (periods.length + 4) <= Math.max(span, DAY) * 40;
    }),
    { numRuns: 2000 },
  );
});

test('a whole year within is one period', () => {
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
