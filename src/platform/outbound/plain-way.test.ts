import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { OutboundOutcome, OutboundRequest } from './index.ts';
import {
  answering,
  LOOPBACK,
  senderFor,
  startReceiver,
  startTlsReceiver,
  target,
  until,
  type Script,
} from './test-receiver.ts';
import { TEST_CERTIFICATE } from './test-certificate.ts';

type Server = typeof startReceiver | typeof startTlsReceiver;

/** What one way makes of a receiver: the outcomes of three requests in a row, what it was sent, and over how many connections. */
async function told(
  t: TestContext,
  script: Script,
  throughUndici: boolean,
  more: Partial<OutboundRequest> = {},
  server: Server = startReceiver,
) {
  const receiver = await server(t, (socket, nth) => (nth === 1 ? script : answering(200, 'fine'))(socket, nth));
  const sender = senderFor(t, LOOPBACK, {
    connectionsPerOrigin: 1,
    throughUndici,
    extraCa: TEST_CERTIFICATE,
    resolve: async () => ['127.0.0.1'],
  });
  const url =
    server === startReceiver
      ? receiver.url
      : receiver.url.replace('http:', 'https:').replace('127.0.0.1', 'receiver.test');
  const request = {
    url: target(url),
    headers: ['content-type', 'application/json', 'X-Own', 'a b'],
    body: '{"a":"é"}',
    deadlineMs: 2000,
  };
  const outcomes: unknown[] = [];
  for (const one of [request, { ...request, ...more }, request]) {
    outcomes.push(withoutTimes(await sender.send(one)));
    // Until what came besides the reply, or the end, is known: whether the next request is ahead of it is chance. In turns of the event loop, as a slow machine may
    // have the receiver write at the end of any one time.
    for (let turn = 0; turn < 10; turn++) await setTimeout(4);
  }
  await sender.close();
  const port = new RegExp(`:${receiver.port}`, 'g');
  return {
    outcomes,
    requests: receiver.requests.map((text) => text.replace(port, '')),
    connections: receiver.sockets.length,
  };
}

function withoutTimes({ timings, ...outcome }: OutboundOutcome) {
  return { ...outcome, timings: Object.keys(timings).toSorted() };
}

async function sameBothWays(
  t: TestContext,
  name: string,
  script: Script,
  more: Partial<OutboundRequest> = {},
  server?: Server,
) {
  const [own, undici] = [await told(t, script, false, more, server), await told(t, script, true, more, server)];
  assert.deepEqual(own, undici, name);
  assert.equal((own.outcomes[0] as OutboundOutcome).kind, 'response');
  return own;
}

const AT_ONCE = 16;

/** Replies, valid and not; `|` is where one write ends and the next begins. */
const REPLIES = [
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 0000000002\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 2|\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok|ay',
  'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n|okay',
  'H|TTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nokay',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok|HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 0x2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n|0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\ncontent-length: 7\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\n\r\n',
  'HTTP/1.1 301 Moved\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 599 Own\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 600 Own\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 999 Own\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 000 Own\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1  200 OK\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 Gr\u00fc\u00df\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'http/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'ICY 200 OK\r\ncontent-length: 2\r\n\r\nok',
  '\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\ncontent-length: 2\n\nok',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: b\n\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: b\r\n c\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: b\r\n\tc\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\n x-a: b\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\n: b\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx a: b\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a:b\r\nX-B:  \t c d\r\nx-c:\r\nx-d: \r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: 1\r\nX-A: 2\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: \u00fcber\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nx-a: a\x7fb\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\n__proto__: evil\r\nconstructor: c\r\ntoString: s\r\nset-cookie: a=b\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nconnection: keep-alive, close\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nconnection: x-a\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nkeep-alive: timeout=5\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nkeep-alive: max=9, timeout=1\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nkeep-alive: x-timeout=1\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nkeep-alive: Timeout=0\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nkeep-alive: timeout=99999999999999999999\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nconnection: upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n|HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  `HTTP/1.1 200 OK\r\nx-big: ${'b'.repeat(9000)}\r\ncontent-length: 2\r\n\r\nok`,
  `HTTP/1.1 200 OK\r\nx-big: ${'b'.repeat(17_000)}\r\ncontent-length: 2\r\n\r\nok`,
  `HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n${'z'.repeat(20_000)}`,
  'garbage',
  '\r\n\r\n',
];

const writingParts =
  (text: string): Script =>
  (socket) => {
    const parts = text.split('|');
    const next = (): void => {
      const part = parts.shift();
      if (part === undefined || socket.destroyed) return;
      socket.write(part, 'latin1');
      if (parts.length > 0) void setTimeout(10).then(next);
    };
    next();
  };

const endingAfter =
  (text: string): Script =>
  (socket) =>
    void socket.end(text, 'latin1');

for (const [server, name] of [
  [startReceiver, 'http'],
  [startTlsReceiver, 'https'],
] as const)
  test(`what a receiver replies comes to the same, read by ourselves or by undici (${name})`, async (t) => {
    const cases = (server === startReceiver ? REPLIES : REPLIES.slice(0, 12)).flatMap((reply) => {
      const name = JSON.stringify(reply.slice(0, 100));
      return [
        () => sameBothWays(t, `a reply: ${name}`, writingParts(reply), { deadlineMs: 1000 }, server),
        () => sameBothWays(t, `and its end: ${name}`, endingAfter(reply.replace('|', '')), {}, server),
      ];
    });
    // Not all at once: what has to come within a time would not.
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, i) => {
        for (let at = i; at < cases.length; at += AT_ONCE) await cases[at]?.();
      }),
    );
  });

test('what a receiver does to a connection comes to the same', async (t) => {
  const reset: Script = (socket) => void socket.resetAndDestroy();
  const end: Script = (socket) => void socket.end();
  const endLater: Script = (socket) => {
    answering(200, 'ok')(socket, 0);
    void setTimeout(10).then(() => socket.end());
  };
  const cut: Script = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok');
    void setTimeout(20).then(() => socket.resetAndDestroy());
  };
  await Promise.all([
    sameBothWays(t, 'reset', reset),
    sameBothWays(t, 'end', end),
    sameBothWays(t, 'end after the reply', endLater),
    sameBothWays(t, 'no answer', () => undefined, { deadlineMs: 60 }),
    sameBothWays(t, 'a reply cut by a reset', cut),
  ]);
});

test('what is sent is the same, byte for byte', async (t) => {
  const requests = [
    {},
    { body: '' },
    { body: 'x'.repeat(100_000) },
    { body: 'é'.repeat(50_000) },
    { body: '\ud800 half' },
    { body: Buffer.from('bytes') },
    { headers: [] },
    { headers: ['X-Any', '\t in the middle'] },
    { common: ['X-Common', 'a b', 'x-empty', ''] },
    { common: ['X-Common', 'a b'], headers: [] },
    { common: ['x-any', 'a\r\nx-injected: b'] },
    { common: ['connection', 'close'] },
    { common: ['Host', 'other.test'] },
    { headers: ['x-any', 'ü'] },
    { headers: ['x-any', 'a\r\nx-injected: b'] },
    { headers: ['x-any', 'a\nb'] },
    { headers: ['x-any: a\r\nx-injected', 'b'] },
    { headers: ['x any', 'b'] },
    { headers: ['', 'b'] },
    { headers: ['connection', 'close'] },
    { headers: ['Content-Length', '7'] },
    { headers: ['transfer-encoding', 'chunked'] },
    { headers: ['expect', '100-continue'] },
    { headers: ['upgrade', 'h2c'] },
    { method: 'GET' as const },
  ];
  const all = requests.map((more) => sameBothWays(t, JSON.stringify(more).slice(0, 100), answering(200, 'ok'), more));
  for (const { requests: sent } of await Promise.all(all))
    for (const request of sent) assert.doesNotMatch(request, /^x-injected/m);
});

test('an answer that nobody asked for is not taken for that of the next request', async (t) => {
  for (const throughUndici of [false, true]) {
    const receiver = await startReceiver(t, (socket, nth) => answering(200, `answer ${nth}`)(socket, nth));
    const sender = senderFor(t, LOOPBACK, { throughUndici });
    const request = { url: target(receiver.url), headers: [], body: '{}', deadlineMs: 2000 };
    const bodyOf = (outcome: OutboundOutcome) => outcome.kind === 'response' && outcome.body;
    const bodies = [bodyOf(await sender.send(request))];
    // Within a timer, after which the event loop reads: the bytes are there, and nobody has seen them when the next request is sent.
    await setTimeout(20);
    for (const socket of receiver.sockets) answering(200, 'unasked')(socket, 0);
    bodies.push(bodyOf(await sender.send(request)));
    for (const socket of receiver.sockets) answering(200, 'unasked')(socket, 0);
    await setTimeout(20);
    bodies.push(bodyOf(await sender.send(request)));
    await setTimeout(20);
    for (const socket of receiver.sockets) answering(200, 'unasked')(socket, 0);
    // One that undici writes, on a connection that it has not written on yet.
    bodies.push(bodyOf(await sender.send({ ...request, body: Buffer.from('{}') })));
    const answers = ['answer 0', 'answer 1', 'answer 2', 'answer 3'];
    assert.deepEqual([bodies, receiver.sockets.length], [answers, 4], `${throughUndici}`);
  }
});

test('a request that cannot be sent leaves no connection behind', async (t) => {
  for (const headers of [['x-any', 'a\nb'], ['odd'], ['connection', ' '], ['expect', '100-continue']]) {
    const receiver = await startReceiver(t, answering(200, 'ok'));
    const sender = senderFor(t, LOOPBACK);
    const request = { url: target(receiver.url), headers: [], body: '{}', deadlineMs: 2000 };
    await sender.send(request);
    const outcome = await sender.send({ ...request, headers });
    assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'PROTOCOL', JSON.stringify(headers));
    await until(() => receiver.open() === 0);
  }
});

test('no more unused connections are kept than may be, also after one that a request could not be sent on', async (t) => {
  const receivers = await Promise.all([0, 1, 2].map(() => startReceiver(t, answering(200, 'ok'))));
  const sender = senderFor(t, LOOPBACK, { maxIdleConnections: 1, connectionsPerOrigin: 1 });
  const requestTo = ({ url }: { url: string }, headers: string[] = []) =>
    sender.send({ url: target(url), headers, body: '{}', deadlineMs: 2000 });
  const [receiver] = receivers as [(typeof receivers)[0]];
  await Promise.all([requestTo(receiver), requestTo(receiver, ['x-any', 'a\nb'])]);
  for (const one of receivers) await requestTo(one);
  await until(() => receivers.reduce((sum, one) => sum + one.open(), 0) === 1);
});

test('an unused connection is kept for as long as its receiver says, and no longer than the sender keeps any', async (t) => {
  const closedAfter = async (fields: string, keepAliveMs: number): Promise<number> => {
    const receiver = await startReceiver(t, answering(200, 'ok', fields));
    const sender = senderFor(t, LOOPBACK, { keepAliveMs });
    const request = { url: target(receiver.url), headers: [], body: '{}', deadlineMs: 2000 };
    // Twice: the second time the timer of the first is there.
    for (let i = 0; i < 2; i++) await sender.send(request);
    const started = performance.now();
    while (receiver.open() > 0) await setTimeout(10);
    assert.equal(receiver.sockets.length, fields.includes('=2\r') ? 2 : 1);
    return performance.now() - started;
  };
  const [byReceiver, bySender, atOnce] = await Promise.all([
    closedAfter('keep-alive: timeout=3\r\n', 30_000),
    closedAfter('keep-alive: timeout=300\r\n', 200),
    closedAfter('keep-alive: timeout=2\r\n', 30_000),
  ]);
  assert.ok(byReceiver > 900 && byReceiver < 20_000, `${byReceiver}`);
  assert.ok(bySender > 150 && bySender < 20_000, `${bySender}`);
  assert.ok(atOnce < 20_000, `${atOnce}`);
});
