import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplyTimes } from './reply-times.ts';

/** What is thought of an origin after these times, one each millisecond. */
function after(...tookMs: readonly number[]): ReplyTimes {
  const times = new ReplyTimes();
  tookMs.forEach((took, at) => times.note(took, at));
  return times;
}

const often = (tookMs: number): number[] => Array<number>(200).fill(tookMs);

test('an origin that has not answered yet is not given everything at once', () => {
  assert.equal(new ReplyTimes().isQueueing, true);
});

test('one that takes as long for many as for one may get more, however far away it is', () => {
  for (const took of [0.2, 5, 200]) assert.equal(after(...often(took)).isQueueing, false);
  assert.equal(after(...often(200), 600, 210, 190).isQueueing, false);
});

test('one that takes four times as long as for the quickest has requests wait for each other', () => {
  assert.equal(after(0.5, ...often(1.9)).isQueueing, false);
  assert.equal(after(0.5, ...often(2.1)).isQueueing, true);
  assert.equal(after(0.5, ...often(2.1), ...often(0.6)).isQueueing, false);
});

test('the quickest is forgotten after ten to twenty seconds: the way there may be another now', () => {
  const times = after(0.5, ...often(8));
  times.note(8, 10_100);
  assert.equal(times.isQueueing, true, 'of the ten seconds before');
  times.note(8, 20_200);
  assert.equal(times.isQueueing, false);
  const rested = after(0.5, ...often(8));
  rested.note(8, 25_000);
  assert.equal(rested.isQueueing, false, 'nothing of before a rest');
});
