import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redacted } from './redact.ts';

const TOKEN = 'tok_4711_secret';

test('cookies and the like are not kept, whatever else is', () => {
  const headers = { 'Set-Cookie': 'sid=1', 'content-type': 'text/plain', authorization: 'Basic x' };
  assert.deepEqual(redacted({ headers, body: 'sid=1' }, []), {
    headers: { 'Set-Cookie': '[redacted]', 'content-type': 'text/plain', authorization: '[redacted]' },
    body: 'sid=1',
  });
});

test('a receiver that sends back what it got does not have credentials kept, whole or in part', () => {
  const reply = {
    headers: { 'x-echo': `Bearer ${TOKEN}`, 'x-other': 'short' },
    body: JSON.stringify({ authorization: `Bearer ${TOKEN}`, token: TOKEN, mode: 'short' }),
  };
  const kept = redacted(reply, ['Authorization', `Bearer ${TOKEN}`, 'X-Mode', 'short']);
  assert.ok(!JSON.stringify(kept).includes(TOKEN));
  assert.deepEqual(kept.headers, { 'x-echo': '[redacted]', 'x-other': 'short' });
  assert.deepEqual(JSON.parse(kept.body), { authorization: '[redacted]', token: '[redacted]', mode: 'short' });
});

test('a usual reply is kept as it is', () => {
  const reply = { headers: { 'content-type': 'text/plain' }, body: 'ok' };
  assert.equal(redacted(reply, []).headers, reply.headers);
  assert.deepEqual(redacted(reply, ['X-Key', TOKEN]), reply);
});
