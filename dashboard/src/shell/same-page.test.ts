import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samePage } from './same-page.ts';

const shop = { id: '1', type: 'MERCHANT' } as const;
const rooms = { id: '2', type: 'BUSINESS' } as const;
const site = { id: '3', type: 'SITE' } as const;
const all = { id: 'all', type: 'PLATFORM' } as const;

test('choosing an account leads to the same page of it, and from where it has none to its overview', () => {
  assert.equal(samePage('/a/1/deliveries', rooms), '/a/2/deliveries');
  assert.equal(samePage('/a/1/deliveries/7', rooms), '/a/2/deliveries');
  assert.equal(samePage('/a/2/keys', shop), '/a/1/keys');
  assert.equal(samePage('/a/1/endpoints/7', rooms), '/a/2/overview');
  assert.equal(samePage('/a/2/subscriptions', shop), '/a/1/overview');
  assert.equal(samePage('/a/1/trades/7', site), '/a/3/overview');
  assert.equal(samePage('/a/1/trades/7', all), '/a/all/trades');
  assert.equal(samePage('/a/1/keys', all), '/a/all/overview');
  assert.equal(samePage('/a/1/changes', all), '/a/all/overview');
  assert.equal(samePage('/a/1/changes', site), '/a/3/changes');
  for (const pathname of ['/posts', '/comments', '/operators/accounts/1', '/a/1', '/'])
    assert.equal(samePage(pathname, rooms), '/a/2/overview', pathname);
});
