import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, etagMatches, octets, strongEtag } from './etag.ts';

test('a tag is strong, quoted, and of the bytes alone', () => {
  assert.match(strongEtag('a'), /^"[\w-]{27}"$/);
  assert.equal(strongEtag('ä'), strongEtag(Buffer.from('ä')));
  assert.notEqual(strongEtag('a'), strongEtag('b'));
});

test('what is made ready keeps its bytes, a string for a short text and a buffer for a long one', () => {
  for (const [size, kind] of [
    [0, 'string'],
    [4_999, 'string'],
    [5_000, 'object'],
  ] as const) {
    const ready = octets('é'.repeat(size));
    assert.deepEqual([typeof ready, ready.length], [kind, 2 * size]);
    assert.equal(bytesOf(ready).toString(), 'é'.repeat(size));
    if (typeof ready === 'object') assert.equal(ready.buffer.byteLength, ready.length, 'memory of its own');
  }
});

test('a header of tags is compared as RFC 9110 §8.8.3.2 says', () => {
  const cases: [header: string | undefined, weak: boolean, strong: boolean][] = [
    ['"1"', true, true],
    ['"0", "1" , "2"', true, true],
    ['*', true, true],
    [' * ', true, true],
    ['W/"1"', true, false],
    ['"2"', false, false],
    ['1', false, false],
    ['', false, false],
    [undefined, false, false],
  ];
  for (const [header, weak, strong] of cases) {
    assert.deepEqual(
      [etagMatches(header, '"1"', true), etagMatches(header, '"1"', false)],
      [weak, strong],
      String(header),
    );
  }
});
