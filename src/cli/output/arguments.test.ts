import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { duration, instant, pastInstant, webAddress } from './arguments.ts';

describe('times on the command line', () => {
  test('are of days that there are', () => {
    for (const text of [
      '2027-02-30T09:00',
      '2027-02-29',
      '2027-04-31T09:00Z',
      '2027-13-01',
      '2027-01-00T00:00+02:00',
    ]) {
      assert.throws(() => instant(text), /of a day that there is/);
      assert.throws(() => pastInstant(text), /It is a time like/);
    }
    assert.equal(instant('2028-02-29T09:00Z'), '2028-02-29T09:00:00.000Z');
    assert.equal(instant('2027-12-31T23:30-02:00'), '2028-01-01T01:30:00.000Z');
    assert.equal(instant('2027-01-31'), new Date(2027, 0, 31).toISOString());
  });

  test('have a unit where they are so long', () => {
    assert.deepEqual(['90s', '30m', '24h', '7d'].map(duration), [90, 1800, 86_400, 604_800]);
    for (const text of ['24', '', 'h', '1.5h', '24 h'])
      assert.throws(() => duration(text), /with a unit: 30m, 24h, 7d/);
  });
});

test('an address of the web is whole: without its scheme it would be read as a path', () => {
  assert.equal(webAddress('https://blog.example.com/news/'), 'https://blog.example.com/news/');
  for (const text of [
    'blog.example.com',
    '/blog',
    'ftp://blog.example.com',
    'https://',
    'localhost:2368',
    'https://a.example/b c',
  ])
    assert.throws(() => webAddress(text), /It is a whole address: https:\/\/blog\.example\.com/, text);
  // Behind these every path that is added would be a part of them.
  for (const text of ['https://blog.example.com/?ref=x', 'https://blog.example.com/#top', 'https://blog.example.com?'])
    assert.throws(() => webAddress(text), /It has no user name, query or fragment/, text);
  for (const text of ['https://me:secret@blog.example.com', 'https://me@blog.example.com/'])
    assert.throws(() => webAddress(text), /It has no user name, query or fragment/, text);
  assert.equal(webAddress(' https://blog.example.com '), 'https://blog.example.com');
});
