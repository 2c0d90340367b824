import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchJson } from './index.ts';
import { answering, LOOPBACK, senderFor, silent, startReceiver, target } from './test-receiver.ts';

test('gets a document', async (t) => {
  const keys = { keys: Array.from({ length: 40 }, (_, i) => ({ kid: String(i), n: 'n'.repeat(1000) })) };
  const receiver = await startReceiver(t, answering(200, JSON.stringify(keys)));
  const url = target(`http://127.0.0.1:${receiver.port}/jwks?x=1`);
  assert.deepEqual(await fetchJson(senderFor(t, LOOPBACK), url), { ok: true, value: keys });
  assert.match(receiver.requests[0] ?? '', /^GET \/jwks\?x=1 HTTP\/1\.1\r\n/);
});

test('says why there is none, and never rejects', async (t) => {
  const sender = senderFor(t, LOOPBACK);
  const cases: [Parameters<typeof startReceiver>[1], string][] = [
    [answering(404, '{}'), 'status 404'],
    [answering(301, '', 'location: http://127.0.0.1/\r\n'), 'status 301'],
    [answering(200, '<html>'), 'not a JSON document'],
    [answering(200, `"${'x'.repeat(2000)}"`), 'longer than 1000 bytes'],
    [silent, 'TIMEOUT: no response within 100 ms'],
  ];
  for (const [script, reason] of cases) {
    const receiver = await startReceiver(t, script);
    const fetched = await fetchJson(sender, target(receiver.url), { deadlineMs: 100, maxBytes: 1000 });
    assert.deepEqual(fetched, { ok: false, reason });
  }
});
