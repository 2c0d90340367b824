import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainReplies } from './plain-reply.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nDate: now\r\nkeep-alive: timeout=5\r\n\r\n';

test('a reply that is all there is read', () => {
  const read = plainReplies().read(Buffer.from(`${OK}ok`));
  assert.deepEqual(read?.head, {
    status: 200,
    headers: { 'content-length': '2', date: 'now', 'keep-alive': 'timeout=5' },
    length: 2,
    closes: false,
    keepsFor: 5,
  });
  assert.equal(read?.body.toString(), 'ok');
});

test('each byte that is missing, and each one too many, makes it another thing', () => {
  const whole = Buffer.from(`${OK}ok`);
  for (let length = 0; length < whole.length; length++)
    assert.equal(plainReplies().read(whole.subarray(0, length)), null, `${length}`);
  assert.equal(plainReplies().read(Buffer.from(`${OK}oky`)), null);
});

test('replies with the same head have bodies of their own, and none is taken for another', () => {
  const replies = plainReplies();
  for (const body of ['ok', 'no', 'ok']) assert.equal(replies.read(Buffer.from(OK + body))?.body.toString(), body);
  assert.equal(replies.read(Buffer.from(`${OK}o`)), null);
  assert.equal(replies.read(Buffer.from('HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n'))?.head.status, 500);
  assert.equal(replies.read(Buffer.from('HTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\n')), null);
  assert.equal(replies.read(Buffer.from(`${OK}ok`))?.head.status, 200);
});

test('blanks around a value are no part of it (RFC 9110 §5.5)', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length:\t2 \r\nx-own: \ta b\t \r\nx-none: \r\n\r\n';
  assert.deepEqual(plainReplies().read(Buffer.from(`${head}ok`))?.head.headers, {
    'content-length': '2',
    'x-own': 'a b',
    'x-none': '',
  });
});
