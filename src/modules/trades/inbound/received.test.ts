import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7Maker } from '../../../lib/ids.ts';
import { newRow } from './received.ts';

test('a report is listed by the time that is shown of it, also where its id was made later than the request began', () => {
  const now = Date.UTC(2026, 0, 1);
  // One of its own: that of the process may have made ids of a later time.
  const makeId = uuidv7Maker();
  const env = { now: new Date(now), waitedMs: () => 1, newId: () => makeId(now + 1), requestId: 'request' };
  const received = { accountId: 'account', rawBody: '', body: undefined, signature: undefined, contentType: undefined };
  assert.equal(newRow(received, env).receivedAt.getTime(), now + 1);
});
