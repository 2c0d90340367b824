import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOfMore, type FailureOfMore, type ListNow } from './failure-of-more.ts';

const error = new Error('no connection');
const list: ListNow = {
  key: '["deliveries",{"status":"DEAD"}]',
  pages: 2,
  hasNextPage: true,
  error: null,
  isFetchNextPageError: false,
  isFetchingNextPage: false,
};
const failing: ListNow = { ...list, error, isFetchNextPageError: true };

/** What is told at the end of these, one after the other. */
const after = (...all: readonly ListNow[]): FailureOfMore | null =>
  all.reduce<FailureOfMore | null>((kept, now) => failureOfMore(kept, now), null);

test('nothing failed: nothing is told, and a failure to renew the list is none of more', () => {
  assert.equal(after(list), null);
  assert.equal(after({ ...list, error }), null);
});

test('it is told while the list is renewed, and until more is asked for again', () => {
  assert.equal(after(failing)?.error, error);
  assert.equal(after(failing, list, { ...list, error: new Error('another') }, list)?.error, error);
  assert.equal(after(failing, list, { ...list, isFetchingNextPage: true }), null);
  assert.equal(after(failing, { ...list, isFetchingNextPage: true }, { ...list, pages: 3 }), null);
  const another = new Error('timeout');
  assert.equal(after(failing, { ...failing, error: another })?.error, another);
});

test('as long as it is the same one it is the same value', () => {
  const kept = after(failing);
  for (const now of [failing, list, { ...list, pages: 3 }]) assert.equal(failureOfMore(kept, now), kept);
});

test('it is not told of another list, also not when that was the one before', () => {
  const other = { ...list, key: '["deliveries",{"status":"HELD"}]' };
  assert.equal(after(failing, other), null);
  assert.equal(after(failing, { ...other, pages: 1, hasNextPage: false }), null);
  assert.equal(after(failing, other, list), null);
  assert.deepEqual(after(failing, { ...other, error, isFetchNextPageError: true }), {
    error,
    key: other.key,
    pages: 2,
  });
});

test('nor of one that went back to its newest, or has no more', () => {
  assert.equal(after(failing, { ...list, pages: 1 }), null);
  assert.equal(after(failing, { ...list, pages: 0 }), null);
  assert.equal(after({ ...failing, pages: 1 }, { ...list, pages: 1, hasNextPage: false }), null);
  assert.equal(after({ ...failing, pages: 1 }, { ...list, pages: 1 })?.error, error);
});
