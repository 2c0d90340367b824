import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearedCookie, isSameOrigin, isSecure, sessionCookie, sessionTokenOf } from './browser-session.ts';

test('the token comes back out of the cookie, whatever stands beside it', () => {
  for (const secure of [true, false]) {
    const [pair = ''] = sessionCookie('phs_abc', 60, secure).split(';');
    for (const cookie of [pair, `a=b; ${pair}`, `${pair}; x="y z"; broken`])
      assert.equal(sessionTokenOf({ cookie }, secure), 'phs_abc', cookie);
    assert.equal(sessionTokenOf({ cookie: clearedCookie(secure).split(';')[0] }, secure) || null, null);
  }
  const both = '__Host-posthorn_session=good; posthorn_session=planted';
  assert.equal(sessionTokenOf({ cookie: both }, true), 'good');
  const planted = 'posthorn_session=planted';
  assert.equal(sessionTokenOf({ cookie: planted }, true), null, 'a subdomain can plant the plain one');
  for (const cookie of [undefined, '', 'a=b', 'my_posthorn_session=x'])
    for (const secure of [true, false]) assert.equal(sessionTokenOf({ cookie }, secure), null);
});

test('by https the cookie is bound to this very host', () => {
  const cookie = sessionCookie('t', 60, isSecure('https://blog.example.com'));
  assert.equal(cookie, '__Host-posthorn_session=t; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax');
  assert.equal(isSecure('http://localhost:3000'), false);
});

test('only a page of ours, or the user by hand, is of the same origin', () => {
  const host = 'blog.example.com';
  const cases: [Record<string, string>, boolean][] = [
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: `https://${host}` }, false],
    [{ origin: `https://${host}` }, true],
    [{ origin: `http://${host}` }, false],
    [{ origin: 'http://public.example' }, false],
    [{ origin: 'https://public.example' }, true],
    [{ origin: `https://${host}.evil.example` }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
    [{}, false],
  ];
  for (const [headers, expected] of cases)
    assert.equal(isSameOrigin({ host, ...headers }, 'https://public.example'), expected, JSON.stringify(headers));
  assert.equal(isSameOrigin({ origin: 'null', host: 'null' }, ''), false);
  for (const publicUrl of [undefined, 'http://public.example'])
    assert.equal(isSameOrigin({ host, origin: `http://${host}:80` }, publicUrl), true, publicUrl);
});
