import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7Maker } from '../../../lib/ids.ts';
import { newRow, unknownEventOf } from './received.ts';

test('a report is listed by the time that is shown of it, also where its id was made later than the request began', () => {
  const now = Date.UTC(2026, 0, 1);
  // One of its own: that of the process may have made ids of a later time.
  const makeId = uuidv7Maker();
  const env = { now: new Date(now), waitedMs: () => 1, newId: () => makeId(now + 1), requestId: 'request' };
  const received = { accountId: 'account', rawBody: '', body: undefined, signature: undefined, contentType: undefined };
  assert.equal(newRow(received, env).receivedAt.getTime(), now + 1);
});

test('the name of an event that is none is told as it was sent, as far as the body can be read', () => {
  const told = (body: string, event: string | null = null) => unknownEventOf({ event, body });
  assert.equal(told('{"event":"order.paid","side":"INITIATOR"}'), 'order.paid');
  assert.equal(told(JSON.stringify({ event: 'x'.repeat(101) })), 'x'.repeat(100));
  for (const body of ['', 'null', '[]', '{"event":""}', '{"event":5}', '{"event":"cut o'])
    assert.equal(told(body), null);
  assert.equal(told('{"event":"fulfilled"}', 'fulfillment.completed'), null, 'it is known');
});
