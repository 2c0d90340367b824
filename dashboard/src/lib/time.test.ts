import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueText, relativeText } from './time.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-28T21:25:00.000Z');
const inHours = (hours: number): string => relativeText(NOW + hours * HOUR_MS, NOW);

test('a length of time is told as one, not as a day, week or year of the calendar, which may be another', () => {
  assert.equal(inHours(35), 'in 1 day', '30 November at 08:25: the day after tomorrow');
  assert.equal(inHours(-35), '1 day ago');
  assert.equal(inHours(24 * 10), 'in 1 week');
  assert.equal(inHours(24 * -44), '1 month ago', '15 October');
  assert.equal(inHours(24 * 500), 'in 1 year', 'in 2028');
});

test('the longest unit that has passed once is told, and what is under half a minute is now', () => {
  assert.equal(inHours(-3), '3 hours ago');
  assert.equal(inHours(48), 'in 2 days');
  assert.equal(relativeText(NOW + 29_000, NOW), 'just now');
  assert.equal(relativeText(NOW - 31_000, NOW), '31 seconds ago');
});

test('what is to come is due when its time has come, and then overdue', () => {
  assert.equal(dueText(NOW + 300_000, NOW), 'in 5 minutes');
  for (const late of [-30_000, 0, 59_000]) assert.equal(dueText(NOW - late, NOW), 'due now');
  assert.equal(dueText(NOW - 60_000, NOW), 'overdue by 1 minute');
  assert.equal(dueText(NOW - 7_200_000, NOW), 'overdue by 2 hours');
});
