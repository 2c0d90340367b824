import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepWithin } from './keep-within.ts';

test('figures stay while those of another span are loaded, not while those of another account are', () => {
  const keep = keepWithin('a');
  assert.equal(keep(7, { queryKey: ['overview', 'a', 'day'] }), 7);
  assert.equal(keep(7, { queryKey: ['overview', 'b', 'day'] }), undefined);
  assert.equal(keepWithin(null)(7, { queryKey: ['overview', 'b', 'day'] }), undefined);
  assert.equal(keep(undefined, undefined), undefined);
});
