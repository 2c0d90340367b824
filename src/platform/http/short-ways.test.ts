import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { get, readAgain } from '../../../test/helpers/read-again.ts';

const { state, given } = await readAgain();

/** One connection, on which one request is sent after the other. */
async function connection(address: string) {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const ended = once(socket, 'close');
  /** The reply, once it is all there: the tests know its length by its `content-length`, or that it has none. */
  const ask = async (...parts: string[]): Promise<string> => {
    text = '';
    for (const part of parts) {
      socket.write(part);
      if (parts.length > 1) await pause(5);
    }
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      const length = parts[0]?.startsWith('HEAD') ? 0 : Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (end !== -1 && text.length >= end + 4 + length) return text;
      await Promise.race([pause(1), ended]);
      if (socket.destroyed) return text;
    }
  };
  return { socket, ask, ended, text: () => text };
}

/** One that has brought two reads, of which the second was answered ahead of the framework, so that others are read ahead of the parser. */
async function aheadOn(address: string) {
  const opened = await connection(address);
  for (let i = 0; i < 2; i++) await opened.ask(get());
  await turn();
  return opened;
}

const statusOf = (reply: string): string | undefined => /^HTTP\/1\.1 (\d+) /.exec(reply)?.[1];

describe('read ahead of the parser', () => {
  const parsed = (side: { app: { server: Server } }): string[] => {
    const seen: string[] = [];
    side.app.server.on('request', ({ method, url }) => seen.push(`${method} ${url}`));
    return seen;
  };

  test('the parser gets what comes up to the first that is answered again, and what is not plain', async () => {
    const { address, side } = await given();
    const seen = parsed(side);
    const { ask, socket } = await aheadOn(address);
    assert.deepEqual(seen, ['GET /v1/any', 'GET /v1/any']);
    const statuses = [];
    for (const request of [
      get(),
      get('If-None-Match: *'),
      get('Accept: text/html'),
      get().replace('/v1/any', '/v1/any?n=1'),
      get().replace('/v1/any', '/v1/any?n=1'),
      get('Content-Length: 0'),
      get().replace('GET', 'HEAD'),
      get(),
    ])
      statuses.push(statusOf(await ask(request)));
    assert.deepEqual(statuses, ['200', '304', '406', '200', '200', '200', '200', '200']);
    // Of the new address the first; a length, though it is 0.
    assert.deepEqual(seen.splice(2), ['GET /v1/any', 'GET /v1/any?n=1', 'GET /v1/any', 'HEAD /v1/any']);
    socket.destroy();
  });

  test('it answers byte for byte as the parser has it answered: short and long, 304, request ids, other origins', async () => {
    const { address, side } = await given({ env: { CORS_ORIGINS: 'https://shop.example' } });
    const seen = parsed(side);
    const { ask, socket } = await aheadOn(address);
    const plain = (text: string) =>
      text
        .replace(/^(x-request-id): [\w-]{36}\r$/im, '$1: new\r')
        .replace(/^(date|ratelimit-remaining|ratelimit-reset): .*\r$/gim, '$1: some\r');
    const text = state.text;
    try {
      for (const body of [text, 'é ÿ € 😀 '.repeat(2000)]) {
        state.text = body;
        for (const fields of [
          [],
          ['If-None-Match: *'],
          ['x-request-id: request-of-mine'],
          ['x-request-id: not one, as it has blanks'],
          ['Origin: https://shop.example'],
          ['Origin: https://other.example'],
        ]) {
          seen.length = 0;
          const ahead = await ask(get(...fields));
          assert.equal(seen.length, 0);
          // In two parts it is the parser's.
          const byParser = await ask(get(...fields).slice(0, 30), get(...fields).slice(30));
          assert.equal(seen.length, 1);
          assert.equal(plain(ahead), plain(byParser));
        }
      }
      assert.equal(state.asked, 1);
    } finally {
      state.text = text;
    }
    socket.destroy();
  });

  test('it is counted and timed like every request, and reaches a limit at the same one', async () => {
    const { address } = await given({ env: { RATE_LIMIT_KEY: '4' } });
    const { ask, socket } = await aheadOn(address);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push(statusOf(await ask(get())));
    assert.deepEqual(statuses, ['200', '200', '429', '429']);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1any",status="200"\} 4/);
    assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1any",status="429"\} 2/);
    socket.destroy();
  });

  test('a key that is revoked, one without the scope, a wrong one, and nobody are refused as ever', async () => {
    const { address, callers } = await given();
    const { ask, socket } = await aheadOn(address);
    const scoped = (as: string) => get().replace('/v1/any', '/v1/scoped').replace('Bearer site', as);
    const statuses = [];
    for (const as of ['Bearer site', 'Bearer site', 'Bearer scopeless', 'Bearer wrong', 'Basic site'])
      statuses.push(statusOf(await ask(scoped(as))));
    assert.deepEqual(statuses, ['200', '200', '403', '401', '401']);
    assert.equal(statusOf(await ask(get())), '200');
    delete callers.site;
    assert.equal(statusOf(await ask(get())), '401');
    socket.destroy();
  });

  test('several at once are answered in order, and the last one ends the connection', async () => {
    const { address } = await given();
    const { socket, ended, text } = await aheadOn(address);
    socket.write([get(), get('If-None-Match: *'), get(), get('Connection: close')].join(''));
    await ended;
    const statuses = [...text().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    assert.deepEqual(statuses.slice(-4), ['200', '304', '200', '200']);
  });

  test('whoever does not read the replies is not read from any more, until they do', async () => {
    const { address, side } = await given({ env: { RATE_LIMIT_KEY: '1000000' } });
    const sockets: Socket[] = [];
    side.app.server.on('connection', (socket: Socket) => void sockets.push(socket));
    const text = state.text;
    state.text = 'a'.repeat(100_000);
    try {
      const { socket, text: had } = await aheadOn(address);
      const before = state.again + state.asked;
      const length = had().length;
      socket.pause();
      let sent = 0;
      for (let done = -1; done < state.again + state.asked && sent < 1000; sent++) {
        done = state.again + state.asked;
        socket.write(get());
        for (let i = 0; i < 50 && state.again + state.asked === done; i++) await pause(2);
      }
      assert.ok(sent < 1000);
      assert.ok((sockets[0]?.writableLength ?? 0) < 1_000_000, `${sockets[0]?.writableLength} bytes wait`);
      socket.resume();
      while (had().length < length + sent * 100_000) await pause(5);
      assert.ok(state.again + state.asked - before >= sent);
      socket.destroy();
    } finally {
      state.text = text;
    }
  });

  test('what is no HTTP is told so', async () => {
    const { address } = await given();
    const { ask, ended } = await aheadOn(address);
    assert.equal(statusOf(await ask('this is no request\r\n\r\n')), '400');
    await ended;
  });

  test('a reply given once the shutdown has begun is the last one on its connection', async () => {
    const { address, side } = await given();
    const [first, second] = [await aheadOn(address), await aheadOn(address)];
    side.drain();
    assert.match(await first.ask(get()), /^HTTP\/1\.1 200 [\s\S]*^connection: close\r$/im);
    await first.ended;
    side.refuse();
    assert.match(await second.ask(get()), /^HTTP\/1\.1 503 [\s\S]*^connection: close\r$/im);
    await second.ended;
  });
});
