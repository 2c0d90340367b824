import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionsOf, AREAS, type Change, doneText, fieldsOf } from './change-texts.ts';

const thing: Change['thing'] = { kind: 'ENDPOINT', id: null, name: 'https://shop.example', isGone: false };

test('what was done is a sentence, of subscriptions by their name', () => {
  assert.equal(doneText({ action: 'endpoint.paused', thing }), 'Paused endpoint');
  const subscription = { ...thing, kind: 'BUSINESS_SUBSCRIPTION' } as const;
  assert.equal(doneText({ action: 'endpoint.opened', thing: subscription }), 'Opened subscription again');
});

test('every action is in one area', () => {
  const all = AREAS.flatMap(actionsOf);
  assert.equal(new Set(all).size, all.length);
  assert.equal(all.length, 21);
  assert.deepEqual(actionsOf('keys'), ['api_key.created', 'api_key.rotated', 'api_key.revoked']);
});

test('fields are told before and after, and of what was created those with something in them', () => {
  const change = {
    before: { blogRole: null, operator: false, days: null },
    after: { blogRole: 'EDITOR', operator: true, days: 30 },
  };
  assert.deepEqual(fieldsOf({ ...change, thing }), [
    { name: 'Blog role', before: 'none', after: 'EDITOR' },
    { name: 'Operator', before: 'no', after: 'yes' },
    { name: 'Days', before: 'as usual', after: '30' },
  ]);
  const created = {
    url: 'https://shop.example',
    events: null,
    description: '',
    headerNames: ['X-Token'],
    maxInFlight: null,
    ratePerSecond: 5,
  };
  assert.deepEqual(fieldsOf({ before: {}, after: created, thing }), [
    { name: 'Headers', after: 'X-Token' },
    { name: 'Per second', after: '5' },
  ]);
  assert.deepEqual(fieldsOf({ before: { events: null }, after: { events: ['a', 'b'] }, thing }), [
    { name: 'Events', before: 'all', after: 'a, b' },
  ]);
});
