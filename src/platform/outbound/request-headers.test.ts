import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasHostHeader, refusalOfHeader } from './request-headers.ts';

test('a header of a user is a token with visible ASCII, and not the business of the connection', () => {
  for (const [name, value] of [
    ['X-Api-Key', 'abc'],
    ['authorization', 'Bearer a b'],
    ["x!#$%&'*+.^_`|~1", '~'],
  ] as const) {
    assert.equal(refusalOfHeader(name, value), null, name);
  }
  for (const name of ['', 'x y', 'x:', 'ü', 'x\r\n', 'a'.repeat(101)]) {
    assert.equal(refusalOfHeader(name, 'v'), 'is not a valid header name', name);
  }
  for (const name of ['Host', 'CONTENT-LENGTH', 'transfer-encoding', 'Connection', 'Upgrade', 'Expect']) {
    assert.equal(refusalOfHeader(name, 'v'), 'is a header that is set by the connection', name);
  }
  for (const value of ['', ' v', 'v ', 'a\r\nb: c', 'a\nb', 'a\0b', 'ü', '\x7f']) {
    assert.equal(
      refusalOfHeader('x', value),
      'has a value with other than visible ASCII characters',
      JSON.stringify(value),
    );
  }
});

test('a Host header is found among names, not among values', () => {
  assert.equal(hasHostHeader(['x', 'host', 'HoSt', 'a']), true);
  assert.equal(hasHostHeader(['x', 'host', 'hosts', 'a']), false);
});
