import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  EVENTS,
  exampleBody,
  type EventName,
  type InternalEvent,
  validateEventData,
  webhooksFor,
} from '../../contracts/events/index.ts';
import { nearest } from '../../lib/nearest.ts';
import { readSetting, withFields } from './set-fields.ts';
import { eventFor } from './trigger.ts';

const names = Object.keys(EVENTS) as EventName[];
const types = names.map((event) => ({
  event,
  description: '',
  internal: EVENTS[event].internal,
  derivedFrom: EVENTS[event].derivedFrom,
  webhook: null,
  schema: {},
  example: exampleBody(event),
}));

describe('what is published to trigger an event', () => {
  for (const name of names) {
    test(`${name} fits its schema, and causes the webhook of the name`, () => {
      const { event, data } = eventFor(types, name, []);
      assert.deepEqual(validateEventData(event as InternalEvent, data), []);
      const caused = webhooksFor(event as InternalEvent, data);
      if (EVENTS[name].webhook !== null) assert.ok(caused.includes(name as never), caused.join());
    });
  }

  test('is about another trade each time', () => {
    const trade = () => eventFor(types, 'trade.created', []).data.tradeSessionId;
    assert.notEqual(trade(), trade());
  });
});

describe('--set', () => {
  test('puts JSON or text in its place, and changes nothing else', () => {
    const from = { a: { b: [1, { c: 2 }] }, d: 'x' };
    const fields = ['a.b.1.c=3', 'data.d=true', 'e.f=a=b', 'g="7"'].reduce<ReturnType<typeof readSetting>>(
      (all, text) => readSetting(text, all),
      [],
    );
    assert.deepEqual(withFields(from, fields), { a: { b: [1, { c: 3 }] }, d: true, e: { f: 'a=b' }, g: '7' });
    assert.deepEqual(from, { a: { b: [1, { c: 2 }] }, d: 'x' });
  });

  for (const wrong of ['', 'a', '=1', 'a..b=1', '__proto__.x=1', 'a.constructor=1'])
    test(`refuses ${wrong === '' ? 'nothing' : wrong}`, () =>
      assert.throws(() => readSetting(wrong), /place and a value/));
});

test('the nearest name is one that was probably meant', () => {
  assert.equal(nearest('chekout.started', names), 'checkout.started');
  assert.equal(nearest('TRADE.CREATE', names), 'trade.created');
  assert.equal(nearest('what is this', names), null);
});
