import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainRequests } from './plain-request.ts';

const HEAD = 'POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nauthorization: Bearer k\r\n\r\n';
const read = (text: string) => plainRequests().read(Buffer.from(text, 'latin1'));

test('a request that is all there is read', () => {
  const post = read(`${HEAD}{}`);
  assert.deepEqual(post?.head, {
    method: 'POST',
    url: '/v1/events',
    headers: { host: 'a', 'content-length': '2', authorization: 'Bearer k' },
    length: 2,
  });
  assert.equal(post?.body.toString(), '{}');
});

test('and a GET, which has no body', () => {
  const get = 'GET /v1/blog/posts?tag=a HTTP/1.1\r\nHost: a\r\n\r\n';
  assert.deepEqual(read(get)?.head, { method: 'GET', url: '/v1/blog/posts?tag=a', headers: { host: 'a' }, length: 0 });
  assert.equal(read(get)?.body.length, 0);
  for (const line of ['Content-Length: 0', 'Content-Length: 2', 'Transfer-Encoding: chunked', 'Connection: close'])
    assert.equal(read(`${get.slice(0, -2)}${line}\r\n\r\n`), null, line);
  assert.equal(read(`${get}{}`), null);
  assert.equal(read(get + get), null);
});

test('another address with the same fields is another request, and so are other fields', () => {
  const requests = plainRequests();
  const urlAnd = (text: string) => {
    const head = requests.read(Buffer.from(text))?.head;
    return [head?.url, head?.headers['x-own']];
  };
  const get = (path: string, ...lines: string[]): string =>
    [`GET ${path} HTTP/1.1`, 'host: a', ...lines, '', ''].join('\r\n');
  assert.deepEqual(urlAnd(get('/a')), ['/a', undefined]);
  assert.deepEqual(urlAnd(get('/b')), ['/b', undefined]);
  assert.deepEqual(urlAnd(get('/b', 'x-own: 1')), ['/b', '1']);
  assert.deepEqual(urlAnd(get('/a', 'x-own: 1')), ['/a', '1']);
  assert.deepEqual(urlAnd(get('/a', 'x-own: 1', 'x-own: 2')), [undefined, undefined]);
  assert.deepEqual(urlAnd(get('/b', 'x-own: 1', 'x-own: 2')), [undefined, undefined]);
  assert.deepEqual(urlAnd('GET /a HTTP/1.1\r\n\r\n'), [undefined, undefined]);
  assert.deepEqual(urlAnd(get('/a')), ['/a', undefined]);
});

test('more than a hundred fields are left to the parser, which refuses a thousand', () => {
  const withFields = (n: number): string => {
    const more = Array.from({ length: n - 1 }, (_, i) => `x${i}:`);
    return ['GET /a HTTP/1.1', 'host: a', ...more, '', ''].join('\r\n');
  };
  assert.equal(Object.keys(read(withFields(100))?.head.headers ?? {}).length, 100);
  assert.equal(read(withFields(101)), null);
});

test('each byte that is missing, and each one too many, makes it another thing', () => {
  const whole = `${HEAD}{}`;
  for (let length = 0; length < whole.length; length++) assert.equal(read(whole.slice(0, length)), null, `${length}`);
  for (const more of [' ', '\r\n', whole]) assert.equal(read(whole + more), null, JSON.stringify(more));
});

test('requests with the same head have bodies of their own', () => {
  const posts = plainRequests();
  for (const body of ['{}', '[]', '{}']) assert.equal(posts.read(Buffer.from(HEAD + body))?.body.toString(), body);
  assert.equal(posts.read(Buffer.from(HEAD.replace('POST', 'PUT') + '{}')), null);
  assert.equal(posts.read(Buffer.from(`${HEAD}{}`))?.head.url, '/v1/events');
});

test('whatever two readers may understand differently is left to the parser', () => {
  const plain = HEAD.split('\r\n').slice(0, -2);
  const withLine = (line: string): string => [...plain, line, '', '{}'].join('\r\n');
  assert.ok(read(withLine('x-own: a')));
  assert.ok(read(withLine('Connection: Keep-Alive')));
  for (const line of [
    'transfer-encoding: chunked',
    'Transfer-Encoding: identity',
    'content-length: 2',
    'content-length: 3',
    'host: b',
    'connection: close',
    'connection: keep-alive, x-own',
    'connection: upgrade',
    'upgrade: h2c',
    'expect: 100-continue',
    'te: trailers',
    'trailer: x-own',
    'keep-alive: timeout=5',
    ' folded',
    'x-own : a',
    'x-own: a\nx: b',
    'x-own: \xfc',
  ])
    assert.equal(read(withLine(line)), null, JSON.stringify(line));
  for (const [from, to] of [
    ['POST', 'post'],
    ['POST', 'PUT'],
    ['POST', 'GET'],
    ['POST', 'HEAD'],
    ['POST ', 'POST  '],
    ['/v1', 'http://a/v1'],
    ['/v1/events', '*'],
    ['/v1/events', '/v1/ events'],
    [' HTTP/1.1', ''],
    ['HTTP/1.1', 'HTTP/1.0'],
    ['HTTP/1.1', 'HTTP/1.1 '],
    ['HTTP/1.1\r\n', 'HTTP/1.1\n'],
    ['Host: a\r\n', ''],
    ['Host: a', 'Host:'],
    ['Content-Length: 2\r\n', ''],
    ['Content-Length: 2', 'Content-Length: +2'],
    ['Content-Length: 2', 'Content-Length: 0x2'],
    ['Content-Length: 2', 'Content-Length: 2,2'],
    ['Content-Length: 2', 'Content-Length:'],
  ] as const)
    assert.equal(read(`${HEAD.replace(from, to)}{}`), null, to);
});
