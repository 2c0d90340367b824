import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewalAfter } from './renewal.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const scheduled = (ms: number) => ({ status: 'SCHEDULED', publishedAt: new Date(NOW + ms).toISOString() }) as const;

test('a list is read anew right after the next of its posts turns public', () => {
  assert.equal(renewalAfter([scheduled(90_000), scheduled(20_000)], 2, NOW), 21_000);
  assert.equal(renewalAfter([scheduled(-5000)], 1, NOW), 1000, 'not at once: it would ask without end');
});

test('seldom, where that is far off', () => {
  assert.equal(renewalAfter([scheduled(365 * 86_400_000)], 1, NOW), 300_000);
});

test('and soon enough, where the next one may not be among those that are shown', () => {
  assert.equal(renewalAfter([{ status: 'PUBLISHED', publishedAt: null }], 1, NOW), 30_000);
  assert.equal(renewalAfter([scheduled(365 * 86_400_000)], 2, NOW), 30_000);
});

test('and never, where nothing is scheduled', () => {
  assert.equal(renewalAfter([], 0, NOW), false);
});
