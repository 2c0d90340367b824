import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
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
} from './test-receiver.ts';

function requestTo(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    url: target(url),
    headers: ['content-type', 'application/json'],
    body: '{"a":1}',
    deadlineMs: 5000,
    ...more,
  };
}

const classOf = (outcome: OutboundOutcome): string =>
  outcome.kind === 'failure' ? outcome.errorClass : `status ${outcome.status}`;

test('every status is a response, and a redirect is not followed', async (t) => {
  const elsewhere = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK);
  for (const status of [200, 201, 204, 301, 302, 307, 400, 404, 410, 429, 500, 503]) {
    const receiver = await startReceiver(t, answering(status, '', `location: ${elsewhere.url}\r\n`));
    const outcome = await sender.send(requestTo(receiver.url));
    assert.ok(outcome.kind === 'response', classOf(outcome));
    assert.equal(outcome.status, status);
    assert.equal(outcome.headers['location'], elsewhere.url);
    assert.equal(outcome.bodyTruncated, false);
  }
  assert.equal(elsewhere.sockets.length, 0);
});

test('the request goes out as given', async (t) => {
  const receiver = await startReceiver(t, answering(200, 'thanks'));
  const sender = senderFor(t, LOOPBACK);
  const url = `http://127.0.0.1:${receiver.port}/a/b?c=d`;
  const outcome = await sender.send(
    requestTo(url, { headers: ['X-One', '1', 'x-two', '2'], body: Buffer.from('{"ü":1}') }),
  );
  assert.ok(outcome.kind === 'response');
  assert.equal(outcome.body, 'thanks');
  const [head, body] = receiver.requests[0]?.split('\r\n\r\n') ?? [];
  assert.deepEqual(head?.split('\r\n'), [
    'POST /a/b?c=d HTTP/1.1',
    `host: 127.0.0.1:${receiver.port}`,
    'connection: keep-alive',
    'X-One: 1',
    'x-two: 2',
    'content-length: 8',
  ]);
  assert.equal(Buffer.from(body ?? '', 'latin1').toString(), '{"ü":1}');
});

test('timings say what is known', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK);
  const { timings: first } = await sender.send(requestTo(receiver.url));
  const { timings: second } = await sender.send(requestTo(receiver.url));
  assert.ok(first.connectMs !== undefined && first.connectMs > 0 && first.connectMs <= first.totalMs);
  assert.ok(first.firstByteMs !== undefined && first.firstByteMs <= first.totalMs);
  assert.equal(second.connectMs, undefined, 'a kept connection costs no connecting');
});

test('one kept connection serves requests one after another', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK);
  for (let i = 0; i < 20; i++) assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
  assert.equal(receiver.requests.length, 20);
  assert.equal(receiver.sockets.length, 1);
});

test('a receiver that closes after each reply costs a connection each, and no request', async (t) => {
  const announced = await startReceiver(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  );
  const silently = await startReceiver(t, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  const sender = senderFor(t, LOOPBACK);
  for (let i = 0; i < 10; i++) assert.equal(classOf(await sender.send(requestTo(announced.url))), 'status 200');
  for (let i = 0; i < 10; i++) {
    assert.equal(classOf(await sender.send(requestTo(silently.url))), 'status 200');
    await until(() => silently.open() === 0);
  }
  assert.equal(announced.sockets.length, 10);
  assert.equal(silently.sockets.length, 10);
});

test('a kept connection that was reset before anything was written is replaced without a failure', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK);
  await sender.send(requestTo(receiver.url));
  // From the check phase of the event loop the next thing is to poll: the reset is seen after the next request was taken on, and
  // before it is written.
  await new Promise((resolve) => setImmediate(resolve));
  receiver.sockets[0]?.resetAndDestroy();
  assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
  assert.deepEqual([receiver.sockets.length, receiver.requests.length], [2, 2]);
});

test('a kept connection that was closed before anything was written is replaced, and the connecting is told', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK);
  await sender.send(requestTo(receiver.url));
  await new Promise((resolve) => setImmediate(resolve));
  receiver.sockets[0]?.destroy();
  const outcome = await sender.send(requestTo(receiver.url));
  assert.equal(classOf(outcome), 'status 200');
  assert.notEqual(outcome.timings.connectMs, undefined);
});

test('a kept connection that is reset on the request is RESET and says that it was stale', async (t) => {
  const receiver = await startReceiver(t, (socket, nth) => {
    if (nth === 1) socket.resetAndDestroy();
    else answering(200)(socket, nth);
  });
  const sender = senderFor(t, LOOPBACK);
  await sender.send(requestTo(receiver.url));
  const outcome = await sender.send(requestTo(receiver.url));
  assert.ok(outcome.kind === 'failure');
  assert.equal(outcome.errorClass, 'RESET');
  assert.equal(outcome.onStaleConnection, true);
  assert.equal(receiver.requests.length, 2, 'it was not sent again behind the back of the caller');
  assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
});

test('a reply on a kept connection that was begun and cut off is no sign of a stale one: the receiver has the request', async (t) => {
  const beginnings = [
    'HTTP/1.1 200 OK\r\nx-a:',
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab',
  ];
  for (const text of beginnings) {
    const receiver = await startReceiver(t, (socket, nth) => {
      if (nth === 1) socket.end(text);
      else answering(200)(socket, nth);
    });
    const sender = senderFor(t, LOOPBACK);
    await sender.send(requestTo(receiver.url));
    const outcome = await sender.send(requestTo(receiver.url));
    assert.equal(receiver.sockets.length, 1);
    assert.deepEqual([classOf(outcome), outcome.kind === 'failure' && outcome.onStaleConnection], ['RESET', false]);
  }
});

test('of kept connections that all died with their receiver, one costs a request and no other does', async (t) => {
  const held: Socket[] = [];
  const receiver = await startReceiver(t, (socket, nth) => {
    if (nth < 4) held.push(socket);
    else if (held.includes(socket)) socket.resetAndDestroy();
    else answering(200)(socket, nth);
  });
  const sender = senderFor(t, LOOPBACK);
  const first = Array.from({ length: 4 }, () => sender.send(requestTo(receiver.url)));
  await until(() => held.length === 4);
  for (const socket of held) answering(200)(socket, 0);
  await Promise.all(first);
  const outcome = await sender.send(requestTo(receiver.url));
  assert.deepEqual([classOf(outcome), outcome.kind === 'failure' && outcome.onStaleConnection], ['RESET', true]);
  assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
});

test('connections per origin are capped; the others wait in line, in order', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 3 });
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) => sender.send(requestTo(receiver.url, { body: String(i) }))),
  );
  assert.ok(outcomes.every((outcome) => outcome.kind === 'response'));
  assert.equal(receiver.sockets.length, 3);
  assert.equal(receiver.requests.length, 50);
});

test('waiting in line counts against the deadline, and what was given up is never sent', async (t) => {
  const held: Receiver['sockets'] = [];
  const receiver = await startReceiver(t, (socket) => held.push(socket));
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1 });
  const first = sender.send(requestTo(receiver.url, { body: 'first' }));
  await until(() => held.length === 1);
  const given = await Promise.all(
    ['a', 'b'].map((body) => sender.send(requestTo(receiver.url, { body, deadlineMs: 50 }))),
  );
  assert.deepEqual(given.map(classOf), ['TIMEOUT', 'TIMEOUT']);
  assert.match(given[0]?.kind === 'failure' ? given[0].message : '', /no free connection within 50 ms/);
  const last = sender.send(requestTo(receiver.url, { body: 'last' }));
  answering(200)(held[0] ?? assert.fail('no request'), 0);
  assert.equal(classOf(await first), 'status 200');
  await until(() => held.length === 2);
  answering(200)(held[1] ?? assert.fail('no request'), 1);
  assert.equal(classOf(await last), 'status 200');
  assert.deepEqual(
    receiver.requests.map((request) => request.split('\r\n\r\n')[1]),
    ['first', 'last'],
  );
});

test('after its deadline a request does not connect any more', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const answers: ((addresses: string[]) => void)[] = [];
  const sender = senderFor(t, LOOPBACK, { resolve: () => new Promise((resolve) => answers.push(resolve)) });
  const late = await sender.send(requestTo(`http://slow.example:${receiver.port}/`, { deadlineMs: 30 }));
  assert.equal(classOf(late), 'TIMEOUT');
  answers[0]?.(['127.0.0.1']);
  assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
  assert.equal(receiver.sockets.length, 1);
});

test('a hanging receiver does not hold up another', async (t) => {
  const hanging = await startReceiver(t, silent);
  const quick = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK);
  const stuck = Array.from({ length: 100 }, () => sender.send(requestTo(hanging.url, { deadlineMs: 100 })));
  const outcome = await sender.send(requestTo(quick.url));
  assert.equal(classOf(outcome), 'status 200');
  assert.ok(new Set((await Promise.all(stuck)).map(classOf)).has('TIMEOUT'));
});

test('unused connections are bounded over all origins: the one unused for longest goes', async (t) => {
  const receivers = await Promise.all([0, 1, 2].map(() => startReceiver(t, answering(200))));
  const sender = senderFor(t, LOOPBACK, { maxIdleConnections: 2 });
  for (const receiver of receivers) await sender.send(requestTo(receiver.url));
  await until(() => receivers[0]?.open() === 0);
  assert.deepEqual(
    receivers.map((receiver) => receiver.open()),
    [0, 1, 1],
  );
  assert.equal(classOf(await sender.send(requestTo(receivers[0]?.url ?? ''))), 'status 200');
});

test('an unused connection is closed after its keep-alive time', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK, { keepAliveMs: 20 });
  await sender.send(requestTo(receiver.url));
  await until(() => receiver.open() === 0);
  assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
});

test('close ends what is under way as SHUTDOWN, closes every socket and takes nothing more', async (t) => {
  const receiver = await startReceiver(t, silent);
  const other = await startReceiver(t, answering(200));
  const resolve = (host: string) =>
    host === 'never.example' ? new Promise<string[]>(() => undefined) : Promise.resolve(['127.0.0.1']);
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1, resolve });
  await sender.send(requestTo(other.url));
  const written = sender.send(requestTo(receiver.url));
  const waiting = sender.send(requestTo(receiver.url));
  const connecting = sender.send(requestTo('http://never.example/'));
  await until(() => receiver.requests.length === 1);
  await sender.close();
  for (const outcome of await Promise.all([written, waiting, connecting])) assert.equal(classOf(outcome), 'SHUTDOWN');
  await until(() => receiver.open() === 0 && other.open() === 0);
  assert.equal(classOf(await sender.send(requestTo(other.url))), 'SHUTDOWN');
  await sender.close();
});

test('a closed port is CONNECT', async (t) => {
  const outcome = await senderFor(t, LOOPBACK).send(requestTo('http://127.0.0.1:1/'));
  assert.ok(outcome.kind === 'failure');
  assert.deepEqual([outcome.errorClass, outcome.message], ['CONNECT', 'connection refused']);
});

test('headers that cannot be sent are a failure of this request alone', async (t) => {
  const receiver = await startReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1 });
  const bad = [
    ['x-a', 'b\r\nx-injected: 1'],
    ['Host', 'inside.example'],
    ['transfer-encoding', 'chunked'],
    ['x y', '1'],
    ['odd'],
    ['content-length', '3'],
  ];
  const outcomes = await Promise.all(bad.map((headers) => sender.send(requestTo(receiver.url, { headers }))));
  assert.deepEqual(
    outcomes.map(classOf),
    bad.map(() => 'PROTOCOL'),
  );
  assert.equal(classOf(await sender.send(requestTo(receiver.url))), 'status 200');
  assert.equal(receiver.requests.length, 1);
});
