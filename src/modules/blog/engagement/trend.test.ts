import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { addActivity, NO_TREND, removeActivity, WEIGHTS } from './trend.ts';

const DAY = 24 * 3600 * 1000;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;

/** The score at a time, by the formula: what a stored trend must say without being touched. */
const score = (activities: readonly { weight: number; at: number }[], time: number): number =>
  activities.reduce((sum, { weight, at }) => sum + weight * 2 ** ((at - time) / DAY), 0);
const trendOf = (activities: readonly { weight: number; at: number }[]): number =>
  activities.reduce((trend, { weight, at }) => addActivity(trend, weight, at), NO_TREND);

const activity = fc.record({
  weight: fc.constantFrom(...Object.values(WEIGHTS)),
  at: fc.integer({ min: NOW - 20 * DAY, max: NOW }),
});

describe('the trend of a post', () => {
  test('is the logarithm of its decayed score, at whatever time one looks', () => {
    fc.assert(
      fc.property(fc.array(activity, { minLength: 1, maxLength: 50 }), fc.nat({ max: 30 }), (activities, days) => {
        const time = NOW + days * DAY;
        assert.ok(near(trendOf(activities), Math.log2(score(activities, time)) + time / DAY));
      }),
    );
  });

  test('halves in a day: twice the activity makes up for one', () => {
    const yesterday = trendOf([{ weight: 2, at: NOW - DAY }]);
    assert.ok(near(yesterday, trendOf([{ weight: 1, at: NOW }])));
    assert.ok(trendOf([{ weight: 1.01, at: NOW }]) > yesterday);
  });

  test('is above that of a post around which nothing happened, however long ago it was', () => {
    assert.ok(trendOf([{ weight: 1, at: Date.parse('1971-01-01T00:00:00Z') }]) > NO_TREND);
  });

  test('after an activity was taken back is as if it had never been', () => {
    fc.assert(
      fc.property(fc.array(activity, { maxLength: 20 }), activity, (others, one) => {
        const left = removeActivity(addActivity(trendOf(others), one.weight, one.at), one.weight, one.at);
        assert.ok(Math.abs(left - trendOf(others)) < 1e-2, `${left} is not ${trendOf(others)}`);
      }),
    );
    const one = addActivity(NO_TREND, WEIGHTS.like, NOW);
    assert.equal(removeActivity(one, WEIGHTS.like, NOW), NO_TREND);
  });
});
