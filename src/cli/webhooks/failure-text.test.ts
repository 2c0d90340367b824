import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureText } from './failure-text.ts';

test('a failure is told by its class and its message, no word of which is said twice', () => {
  assert.equal(failureText('TIMEOUT', 'no response within 60 ms'), 'TIMEOUT: no response within 60 ms');
  assert.equal(failureText('TLS', 'TLS handshake failed (ECONNRESET)'), 'TLS handshake failed (ECONNRESET)');
  assert.equal(failureText('TLS', 'TLSA is none'), 'TLS: TLSA is none');
  assert.equal(failureText(null, 'why'), 'why');
});
