import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LAST_PAGE, PageQuery, toPage } from './paging.ts';

test('a list tells no pages that cannot be asked for, though it has more items', () => {
  assert.equal((PageQuery.page as { maximum?: number }).maximum, LAST_PAGE);
  const pagesOf = (total: number) => toPage({ page: 1, limit: 100 }, total, []).pages;
  assert.deepEqual([0, 1, 100, 101, 1_000_000, 1_000_050].map(pagesOf), [0, 1, 1, 2, 10_000, 10_000]);
  assert.equal(toPage({ page: 1, limit: 100 }, 1_000_050, []).total, 1_000_050);
});
