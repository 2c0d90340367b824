import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { OutboundOutcome, OutboundRequest } from './index.ts';
import {
  answering,
  LOOPBACK,
  senderFor,
  silent,
  startReceiver,
  target,
  until,
  type Receiver,
  type Script,
} from './test-receiver.ts';

interface Told {
  outcome: OutboundOutcome;
  receiver: Receiver;
}

/** What comes of one request to a receiver that behaves as scripted; a good request afterwards proves that no harm is left. */
async function tell(t: TestContext, script: Script, more: Partial<OutboundRequest> = {}): Promise<Told> {
  let misbehaved = false;
  const receiver = await startReceiver(t, (socket, nth) => {
    const play = misbehaved ? answering(200, 'fine') : script;
    misbehaved = true;
    play(socket, nth);
  });
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1 });
  const request = { url: target(receiver.url), headers: [], body: '{}', deadlineMs: 5000 };
  const outcome = await sender.send({ ...request, ...more });
  const next = await sender.send(request);
  assert.equal(next.kind === 'response' && next.body, 'fine');
  return { outcome, receiver };
}

const writing =
  (text: string | Buffer): Script =>
  (socket) =>
    void socket.write(text);

function response(outcome: OutboundOutcome) {
  assert.ok(outcome.kind === 'response', JSON.stringify(outcome));
  return outcome;
}

function failure(outcome: OutboundOutcome) {
  assert.ok(outcome.kind === 'failure', JSON.stringify(outcome));
  return outcome;
}

/**
 * Writes a piece at each turn of the event loop, until the other side closes. As many as the socket takes would be megabytes at once, within which
 * the other side, in the same process, reads nothing, and its deadline may pass.
 */
function flood(socket: Socket, piece: string): void {
  const more = (): void => {
    if (!socket.destroyed && socket.write(piece)) setImmediate(more);
  };
  socket.on('drain', more);
  more();
}

test('no answer is TIMEOUT at the deadline, and the connection is dropped', async (t) => {
  const { outcome, receiver } = await tell(t, silent, { deadlineMs: 60 });
  const { errorClass, message, timings } = failure(outcome);
  assert.deepEqual([errorClass, message], ['TIMEOUT', 'no response within 60 ms']);
  assert.ok(timings.totalMs >= 59 && timings.totalMs < 1000, `${timings.totalMs}`);
  await until(() => receiver.sockets[0]?.destroyed === true);
});

test('headers without end are TIMEOUT', async (t) => {
  const { outcome } = await tell(t, writing('HTTP/1.1 200 OK\r\nx-a: b\r\n'), { deadlineMs: 50 });
  assert.equal(failure(outcome).errorClass, 'TIMEOUT');
});

test('a body that drips is TIMEOUT at the deadline, however alive it looks', async (t) => {
  const drip: Script = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 5);
    socket.on('close', () => clearInterval(timer));
  };
  const { outcome } = await tell(t, drip, { deadlineMs: 80 });
  const { errorClass, message, received } = failure(outcome);
  assert.equal(errorClass, 'TIMEOUT');
  assert.equal(
    message,
    `the response was not complete within 80 ms: ${received?.body.length} of the 100000 bytes of its body came (Content-Length)`,
  );
  assert.deepEqual([received?.status, received?.headers], [200, { 'content-length': '100000' }]);
  assert.match(String(received?.body), /^x+$/);
});

test('a name that is never resolved is TIMEOUT', async (t) => {
  const sender = senderFor(t, LOOPBACK, { resolve: () => new Promise(() => undefined) });
  const outcome = await sender.send({ url: target('http://slow.example/'), headers: [], body: '', deadlineMs: 50 });
  const { errorClass, message } = failure(outcome);
  assert.deepEqual([errorClass, message], ['TIMEOUT', 'no connection within 50 ms']);
  const second = { url: target('http://slow.example/'), headers: [], body: '', deadlineMs: 20, withinMs: 50 };
  assert.equal(failure(await sender.send(second)).message, 'no connection within 50 ms');
});

test('of a body without end 16 KiB are kept and little more is read', async (t) => {
  for (const framing of ['content-length: 999999999\r\n\r\n', '\r\n']) {
    const { outcome, receiver } = await tell(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${framing}`);
      flood(socket, 'y'.repeat(1024));
    });
    const { status, body, bodyTruncated } = response(outcome);
    assert.deepEqual([status, body, bodyTruncated], [200, 'y'.repeat(16 * 1024), true]);
    await until(() => receiver.sockets[0]?.destroyed === true);
  }
});

test('a body between the two limits is cut but leaves the connection in use', async (t) => {
  const { outcome, receiver } = await tell(t, answering(200, 'z'.repeat(20_000)));
  const { body, bodyTruncated } = response(outcome);
  assert.deepEqual([body.length, bodyTruncated], [16_384, true]);
  assert.equal(receiver.sockets.length, 1);
  const whole = response((await tell(t, answering(200, 'z'.repeat(16_384)))).outcome);
  assert.deepEqual([whole.body.length, whole.bodyTruncated], [16_384, false]);
});

test('a body becomes text that a database takes', async (t) => {
  const raw = (bytes: number[]): Script =>
    writing(
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`), Buffer.from(bytes)]),
    );
  const bodyOf = async (bytes: number[]): Promise<string> => response((await tell(t, raw(bytes))).outcome).body;
  assert.equal(await bodyOf([0x61, 0x00, 0x62]), 'a\u{FFFD}b');
  assert.equal(await bodyOf([0xff, 0x61]), '\u{FFFD}a');
  assert.equal(await bodyOf([0xed, 0xa0, 0x80]).then((text) => text.isWellFormed()), true);
  // 16,384 is no multiple of 3: the character on the edge is dropped instead of being shown broken.
  const euros = await bodyOf([...Buffer.from('€'.repeat(6000))]);
  assert.equal(euros, '€'.repeat(5461));
});

test('a compressed body is named, not expanded', async (t) => {
  const { outcome } = await tell(t, answering(200, 'not really gzip', 'content-encoding: gzip\r\n'));
  assert.equal(response(outcome).body, '[compressed body, 15 bytes read]');
});

test('response headers are bounded and credentials are redacted', async (t) => {
  const many = Array.from({ length: 100 }, (_, i) => `x-${i}: ${i}\r\n`).join('');
  const long = `set-cookie: session=1\r\nset-cookie: b=2\r\nX-Long: ${'l'.repeat(5000)}\r\n__proto__: evil\r\nvia: a\r\nvia: b\r\n`;
  const { headers } = response((await tell(t, answering(200, '', long + many))).outcome);
  assert.equal(headers['set-cookie'], '[redacted]');
  assert.equal(headers['x-long'], 'l'.repeat(1024));
  assert.equal(headers['via'], 'a, b');
  assert.equal(Object.keys(headers).length, 64);
  assert.equal(Object.getPrototypeOf(headers), Object.prototype);
});

test('headers beyond 16 KiB are PROTOCOL', async (t) => {
  const { outcome } = await tell(t, writing(`HTTP/1.1 200 OK\r\nx-big: ${'b'.repeat(17_000)}\r\n\r\n`));
  const { errorClass, message } = failure(outcome);
  assert.deepEqual([errorClass, message], ['PROTOCOL', 'the response headers are larger than 16 KiB']);
  const endless = await tell(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, 'x-more: and more\r\n');
  });
  assert.equal(failure(endless.outcome).errorClass, 'PROTOCOL');
});

test('what is not HTTP/1.1 is PROTOCOL', async (t) => {
  const scripts: Record<string, string> = {
    garbage: 'SSH-2.0-OpenSSH_9.2\r\n',
    'no status': 'HTTP/1.1 fine\r\n\r\n',
    'NUL in a header': 'HTTP/1.1 200 OK\r\nx-a: b\0c\r\ncontent-length: 0\r\n\r\n',
    'bad chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
    upgrade: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'a bad field behind the length': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx a: b\r\n\r\nok',
    '1xx without end': 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50),
  };
  for (const [name, text] of Object.entries(scripts)) {
    const { outcome } = await tell(t, writing(text));
    assert.equal(failure(outcome).errorClass, 'PROTOCOL', name);
  }
  const { outcome } = await tell(t, writing('SSH-2.0-OpenSSH_9.2\r\n'));
  assert.equal(failure(outcome).message, 'not a valid HTTP/1.1 response (Expected HTTP/, RTSP/ or ICE/)');
});

test('a few 1xx responses before the real one are ignored', async (t) => {
  const early = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const { outcome } = await tell(t, writing(`${early}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`));
  const { status, headers, body } = response(outcome);
  assert.deepEqual([status, headers, body], [200, { 'content-length': '2' }, 'ok']);
});

test('a 100 Continue that nobody asked for is borne, on kept connections too, and is a text like any other in a body', async (t) => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\n';
  const reply = `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n`;
  const receiver = await startReceiver(t, (socket, nth) => {
    if (nth === 0) socket.write(`${text}${reply}${text}`);
    // Each in a segment of its own.
    else
      socket.write(text, () => setImmediate(() => socket.write(reply, () => setImmediate(() => socket.write(text)))));
  });
  receiver.onConnection = (socket) => socket.setNoDelay(true);
  const sender = senderFor(t, LOOPBACK);
  for (let i = 0; i < 3; i++) {
    const outcome = await sender.send({ url: target(receiver.url), headers: [], body: '{}', deadlineMs: 1000 });
    const { status, body } = response(outcome);
    assert.deepEqual([status, body], [200, text]);
  }
  assert.equal(receiver.sockets.length, 1);
});

test('a connection that breaks is RESET, before the response and inside it', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart';
  const afterFlush = (text: string, end: (socket: Socket) => void): Script => {
    return (socket) => void socket.write(text, () => setImmediate(() => end(socket)));
  };
  const scripts: Record<string, Script> = {
    'reset at once': (socket) => void socket.resetAndDestroy(),
    'closed at once': (socket) => void socket.end(),
    'reset in the body': afterFlush(head, (socket) => socket.resetAndDestroy()),
    'closed in the body': afterFlush(head, (socket) => socket.end()),
    'closed in an announced last body': afterFlush(head.replace('OK', 'OK\r\nconnection: close'), (socket) =>
      socket.end(),
    ),
    'closed in a chunked body': (socket) =>
      void socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'),
    'closed in the headers': (socket) => void socket.end('HTTP/1.1 200 OK\r\nx-a:'),
  };
  for (const [name, script] of Object.entries(scripts)) {
    const { outcome } = await tell(t, script);
    const { errorClass, message, onStaleConnection, received } = failure(outcome);
    assert.deepEqual([name, errorClass, onStaleConnection], [name, 'RESET', false]);
    const body = name.includes('chunked') ? 'ab' : 'part';
    const amount = name.includes('chunked')
      ? '2 bytes of its body came, but not its end'
      : '4 of the 100 bytes of its body came (Content-Length)';
    assert.equal(message.split(': ')[1], name.includes('body') ? amount : undefined, name);
    assert.deepEqual([received?.status, received?.body], name.includes('body') ? [200, body] : [undefined, undefined]);
  }
});

test('bytes after the response do not become the answer to the next request', async (t) => {
  const second = 'HTTP/1.1 500 Smuggled\r\ncontent-length: 0\r\n\r\n';
  const { outcome } = await tell(t, writing(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n${second}`));
  assert.equal(response(outcome).status, 200);
});
