import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7 } from '../../../lib/ids.ts';
import { newRow } from './received.ts';

test('a report is listed by the time that is shown of it, also where its id was made later than the request began', () => {
  const now = Date.UTC(2026, 0, 1);
  const env = { now: new Date(now), waitedMs: () => 1, newId: () => uuidv7(now + 1), requestId: 'request' };
  const received = { accountId: 'account', rawBody: '', body: undefined, signature: undefined, contentType: undefined };
  assert.equal(newRow(received, env).receivedAt.getTime(), now + 1);
});
