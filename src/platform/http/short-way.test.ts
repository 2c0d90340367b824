import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide, session } from '../../../test/helpers/http-app.ts';
import type { Caller } from '../../contracts/caller.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../log/log.ts';
import { etagMatches, octets } from './etag.ts';
import { read, type Reply } from './route.ts';

const database = await withDatabase();
const LIMIT = 1000;

/** What the one route answers, whether that holds again, and how often it was asked. */
const state = { text: 'é ÿ € 😀 العربية', holds: true, throws: false, asked: 0, again: 0 };
beforeEach(() => Object.assign(state, { holds: true, throws: false, asked: 0, again: 0 }));

const answer = (headers: Readonly<Record<string, string | undefined>>): Reply => {
  const fields = { etag: `"${encodeURI(state.text)}"`, 'cache-control': 'private, no-cache', vary: 'Authorization' };
  if (etagMatches(headers['if-none-match'], fields.etag, true)) return { status: 304, headers: fields };
  return { status: 200, bytes: octets(JSON.stringify({ text: state.text })), headers: fields };
};

const route = (path: string, access: 'any' | { key: 'blog:read' } | 'public') =>
  read({
    method: 'GET',
    path,
    operationId: path.replaceAll('/', ''),
    tag: 'test',
    summary: 'test',
    access,
    schemas: {
      query: Type.Object({ n: Type.Optional(Type.String()) }),
      replies: { 200: Type.Object({ text: Type.String() }), 304: null },
    },
    handle: async (_db, { headers }) => {
      state.asked++;
      const again = (asked: typeof headers): Reply | null => {
        state.again++;
        if (state.throws) throw new RangeError('too long');
        return state.holds ? answer(asked) : null;
      };
      return { ...answer(headers), again };
    },
  });

const key = (keyId: string, scopes: readonly 'blog:read'[] = ['blog:read']): Caller => ({
  kind: 'key',
  keyId,
  accountId: 'a',
  accountType: 'SITE',
  scopes,
});

interface Call {
  as?: string;
  headers?: Record<string, string>;
  method?: string;
}

async function given(options: { env?: Record<string, string>; log?: Parameters<typeof createLog>[0] } = {}) {
  const callers: Record<string, Caller> = { site: key('site'), scopeless: key('scopeless', []), user: session('user') };
  const side = await httpSide([route('/v1/any', 'any'), route('/v1/scoped', { key: 'blog:read' })], {
    database,
    callers,
    env: { RATE_LIMIT_KEY: String(LIMIT), ...options.env },
    log: createLog(options.log ?? 'silent', { write: () => undefined }),
  });
  const address = await side.app.listen({ host: '127.0.0.1', port: 0 });
  after(() => side.app.close());
  const call = (path = '/v1/any', { as = 'site', headers = {}, method = 'GET' }: Call = {}): Promise<Response> =>
    fetch(`${address}${path}`, { method, headers: { authorization: `Bearer ${as}`, ...headers } });
  return { side, callers, call, address };
}

/** What is another one with each request, or with each second. */
const DIFFERENT = new Set(['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset']);

const comparable = async (reply: Response) => ({
  status: reply.status,
  body: await reply.text(),
  headers: Object.fromEntries([...reply.headers].filter(([name]) => !DIFFERENT.has(name))),
});

test('a repeated read is answered without its handler, byte for byte and field for field as by it', async () => {
  const { call } = await given();
  const long = await call();
  const short = await call();
  assert.deepEqual([state.asked, state.again], [1, 1]);
  assert.equal(Number(short.headers.get('ratelimit-remaining')), LIMIT - 2);
  assert.notEqual(short.headers.get('x-request-id'), long.headers.get('x-request-id'));
  const [first = 0, then = 0] = [long, short].map((reply) => Number(reply.headers.get('ratelimit-reset')));
  assert.ok(first <= 60 && first - then >= 0 && first - then <= 2, `${first} and then ${then} seconds`);
  const [one, two] = [await comparable(long), await comparable(short)];
  assert.deepEqual(two, one);
  assert.equal(two.body, JSON.stringify({ text: state.text }));
  const named = await call('/v1/any', { headers: { 'x-request-id': 'request-of-mine' } });
  assert.equal(named.headers.get('x-request-id'), 'request-of-mine');
});

/** What comes back on one connection for these requests, sent at once, until it is closed. */
function raw(address: string, requests: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('close', () => done(text));
    socket.on('error', fail);
    socket.write(requests.join(''));
  });
}

const get = (...fields: string[]): string =>
  ['GET /v1/any HTTP/1.1', 'Host: a', 'Authorization: Bearer site', ...fields, '', ''].join('\r\n');

test('its head is the one that Node writes; several at once on one connection are answered in order, and the last one ends it', async () => {
  const { call, address } = await given();
  const etag = (await call()).headers.get('etag') as string;
  const requests = [
    get(),
    get(`If-None-Match: ${etag}`),
    get('x-request-id: request-of-mine'),
    get('Connection: close'),
  ];
  const short = await raw(address, requests);
  assert.equal(state.asked, 2, 'the last one went the long way');
  state.holds = false;
  const long = await raw(address, requests);
  assert.equal(state.asked, 6);
  const heads = (text: string) =>
    text
      .split('HTTP/1.1 ')
      .slice(1)
      .map((reply) =>
        reply
          .replace(/^(x-request-id): [\w-]{36}$/im, '$1: new')
          .replace(/^(date|ratelimit-remaining|ratelimit-reset): .*$/gim, '$1: some')
          .split('\r\n')
          .toSorted(),
      );
  assert.equal(heads(short).length, 4);
  assert.deepEqual(heads(short), heads(long));
  const date = /^Date: (.*)$/m.exec(short)?.[1] ?? '';
  assert.ok(Math.abs(Date.parse(date) - systemClock.now()) < 10_000, date);
});

test('so is a 304', async () => {
  const { call } = await given();
  const etag = (await call()).headers.get('etag') as string;
  const init = { headers: { 'if-none-match': etag } };
  const short = await comparable(await call('/v1/any', init));
  assert.deepEqual([state.asked, short.status, short.body], [1, 304, '']);
  state.holds = false;
  assert.deepEqual(short, await comparable(await call('/v1/any', init)));
  assert.equal(state.asked, 2);
});

test('what does not hold any more is asked for', async () => {
  const { call } = await given();
  await call();
  state.holds = false;
  state.text = 'another';
  assert.equal(await (await call()).text(), JSON.stringify({ text: 'another' }));
  assert.equal(state.asked, 2);
});

test('an error on the short way is met on the long one', async () => {
  const { call } = await given();
  await call();
  state.throws = true;
  assert.equal((await call()).status, 200);
  assert.deepEqual([state.asked, state.again], [2, 1]);
});

test('another address is another answer', async () => {
  const { call } = await given();
  await call('/v1/any?n=1');
  await call('/v1/any?n=2');
  await call('/v1/any');
  assert.equal(state.asked, 3);
});

test('it is counted and timed like every request', async () => {
  const { call, address } = await given();
  for (let i = 0; i < 3; i++) await call();
  assert.equal(state.asked, 1);
  const metrics = await (await fetch(`${address}/metrics`)).text();
  assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1any",status="200"\} 3/);
});

describe('it lets nobody in whom the long way would refuse', () => {
  test('a limit is reached at the same request', async () => {
    const { call } = await given({ env: { RATE_LIMIT_KEY: '3' } });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await call()).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  });

  test('a revoked key, one without the scope, a wrong one, and nobody', async () => {
    const { call, callers, address } = await given();
    assert.equal((await call('/v1/scoped')).status, 200);
    assert.equal((await call('/v1/scoped')).status, 200);
    assert.equal(state.asked, 1);
    assert.equal((await call('/v1/scoped', { as: 'scopeless' })).status, 403);
    assert.equal((await call('/v1/scoped', { as: 'wrong' })).status, 401);
    assert.equal((await fetch(`${address}/v1/scoped`)).status, 401);
    delete callers.site;
    assert.equal((await call('/v1/scoped')).status, 401);
  });

  test('a user is asked for each time', async () => {
    const { call } = await given();
    await call();
    await call('/v1/any', { as: 'user' });
    await call('/v1/any', { as: 'user' });
    assert.deepEqual([state.asked, state.again], [3, 0]);
  });
});

test('what is not a plain read goes the long way', async () => {
  const { call, address } = await given();
  await call();
  assert.equal((await call('/v1/any', { headers: { accept: 'text/html' } })).status, 406);
  assert.equal((await call('/v1/any', { headers: { accept: 'text/html, application/json;q=0.5' } })).status, 200);
  assert.equal((await call('/v1/any', { method: 'HEAD' })).status, 200);
  assert.equal((await call('/v1/any', { method: 'DELETE' })).status, 405);
  assert.equal((await fetch(`${address}/v1/any`, { headers: { authorization: 'bearer  site' } })).status, 200);
  assert.equal(state.again, 0);
});

test('requests are logged where that is wanted', async () => {
  const { call } = await given({ log: 'debug' });
  await call();
  await call();
  assert.deepEqual([state.asked, state.again], [2, 0]);
});

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

test('a service that is shutting down answers nothing more', async () => {
  const { call, side } = await given();
  await call();
  side.refuse();
  const reply = await call();
  assert.deepEqual([reply.status, reply.headers.get('connection')], [503, 'close']);
});
