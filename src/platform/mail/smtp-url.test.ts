import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSmtpUrl } from './smtp-url.ts';

test('server, port, TLS and credentials', () => {
  assert.deepEqual(parseSmtpUrl('smtp://mail.example.com'), { host: 'mail.example.com', port: 587, secure: false });
  assert.deepEqual(parseSmtpUrl('smtps://mail.example.com/'), { host: 'mail.example.com', port: 465, secure: true });
  assert.deepEqual(parseSmtpUrl('smtp://[::1]:2525'), { host: '::1', port: 2525, secure: false });
  assert.deepEqual(parseSmtpUrl('smtp://me%40example.com:p%2F%3A%25@mail:25')?.auth, {
    user: 'me@example.com',
    pass: 'p/:%',
  });
});

test('anything else is refused', () => {
  const wrong = ['mail', 'http://mail', 'smtp:', 'smtp://', 'smtp://mail/path', 'smtp://mail?pool=1', 'smtp://mail#x'];
  for (const text of [...wrong, 'smtp://user@mail', 'smtp://:pass@mail', 'smtp://u%:p@mail', 'smtp://mail:99999'])
    assert.equal(parseSmtpUrl(text), null, text);
});
