import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide } from '../../../test/helpers/http-app.ts';
import type { Caller, Scope } from '../../contracts/caller.ts';
import { AppError, invalid } from '../../contracts/errors.ts';
import { createLog } from '../log/log.ts';
import { Uuid } from './paging.ts';
import { batch, type Reply } from './route.ts';

const database = await withDatabase();
const LIMIT = 1000;

/** How often each way was taken, and what the handler does. */
const state = { short: 0, long: 0, act: async (): Promise<void> => undefined };
beforeEach(() => Object.assign(state, { short: 0, long: 0, act: async () => undefined }));

const handle = async (body: { text: string; ids?: string[] }): Promise<Reply> => {
  await state.act();
  return { status: 202, body: { text: body.text, ids: body.ids ?? [] }, headers: { 'x-own': 'of the route' } };
};

const route = (path: string, access: 'any' | { key: Scope }) =>
  batch({
    method: 'POST',
    path,
    operationId: path.replaceAll('/', ''),
    tag: 'test',
    summary: 'test',
    access,
    schemas: {
      body: Type.Object(
        { text: Type.String({ maxLength: 100_000 }), ids: Type.Optional(Type.Array(Uuid)) },
        { additionalProperties: false },
      ),
      replies: { 202: Type.Object({ text: Type.String(), ids: Type.Array(Type.String()) }) },
    },
    handle(_db, { body }) {
      state.long++;
      return handle(body);
    },
    handleShort({ body }) {
      state.short++;
      return handle(body);
    },
  });

const key = (keyId: string, scopes: readonly Scope[] = ['events:publish']): Caller => ({
  kind: 'key',
  keyId,
  accountId: 'a',
  accountType: 'PLATFORM',
  scopes,
});

const replyToFirst = async (): Promise<Reply> => ({ status: 202, body: { text: 'first', ids: [] } });
const first = { ...route('/v1/first', 'any'), handle: replyToFirst, handleShort: replyToFirst };

async function given(options: { env?: Record<string, string>; level?: Parameters<typeof createLog>[0] } = {}) {
  const lines: Record<string, unknown>[] = [];
  const callers: Record<string, Caller> = {
    publisher: key('publisher'),
    scopeless: key('scopeless', []),
    first: key('first'),
  };
  const side = await httpSide([first, route('/v1/any', 'any'), route('/v1/scoped', { key: 'events:publish' })], {
    database,
    callers,
    env: { RATE_LIMIT_KEY: String(LIMIT), ...options.env },
    log: createLog(options.level ?? 'silent', { write: (line) => void lines.push(JSON.parse(line)) }),
  });
  const address = await side.app.listen({ host: '127.0.0.1', port: 0 });
  after(() => side.app.close());
  return { side, callers, address, lines };
}

/** Whether each connection has brought a plain request already, so that others are read ahead of Node's parser. */
let isAhead = false;

/** A connection, and what has come back on it. */
async function connection(
  address: string,
  isFirst = !isAhead,
): Promise<{ socket: Socket; text: () => string; ended: Promise<string> }> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  if (!isFirst) {
    socket.write(
      post('{"text":"first"}', { path: '/v1/first', as: 'first', fields: { 'x-request-id': 'the-first-one' } }),
    );
    while (!text.endsWith('{"text":"first","ids":[]}')) await pause(1);
    text = '';
  }
  return { socket, text: () => text, ended: new Promise((done) => socket.once('close', () => done(text))) };
}

interface Post {
  path?: string;
  as?: string | null;
  /** Instead of those that a plain request has. */
  fields?: Record<string, string | null>;
}

const post = (body: string | Buffer, { path = '/v1/any', as = 'publisher', fields = {} }: Post = {}): Buffer => {
  const bytes = Buffer.from(body);
  const all = {
    host: 'a',
    authorization: as === null ? null : `Bearer ${as}`,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...fields,
  };
  const head = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`), bytes]);
};

/** Sends all of it, and then a request that ends the connection where it is still open; what came back without the reply to that one. */
async function ask(address: string, ...parts: Buffer[]): Promise<string> {
  const { socket, ended } = await connection(address);
  for (const part of parts) {
    socket.write(part);
    await pause(5);
  }
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const text = await ended;
  return text.endsWith('}') && text.includes('{"status":"ok"') ? text.slice(0, text.lastIndexOf('HTTP/1.1 ')) : text;
}

/** Without what is another with each request, each header field in its place in the alphabet. */
const comparable = (reply: string) => {
  const [head = '', ...body] = reply.split('\r\n\r\n');
  return {
    head: head
      .replace(/^(x-request-id): [\w-]{36}$/im, '$1: new')
      .replace(/^(date|ratelimit-remaining|ratelimit-reset): .*$/gim, '$1: some')
      .split('\r\n')
      .toSorted(),
    body: body.join('\r\n\r\n').replace(/"requestId":"[\w-]{36}"/, '"requestId":"new"'),
  };
};

const GOOD = JSON.stringify({ text: 'é ÿ € 😀 العربية', ids: ['0198C7A0-0000-7000-8000-000000000001'] });
/** The same request, which is taken on the long way for how it is written. */
const LONG = { 'content-type': 'application/json;charset=utf-8' };

for (const ahead of [false, true])
  describe(ahead ? 'read ahead of the parser' : 'read by the parser', () => {
    before(() => {
      isAhead = ahead;
    });

    describe('a plain request is answered past the framework, field for field and byte for byte as by it', () => {
      const failures: Record<string, () => Promise<void>> = {
        success: async () => undefined,
        'a refusal with details': async () => {
          throw invalid({ path: 'body.text', message: 'is not what we want' });
        },
        'too much at once': async () => {
          throw new AppError('UNAVAILABLE', { message: 'Slow down.', headers: { 'retry-after': '7' } });
        },
        'a fault of ours': async () => {
          throw new TypeError('cannot read properties of undefined');
        },
      };
      for (const [name, act] of Object.entries(failures)) {
        test(name, async () => {
          const { address, lines } = await given({ level: 'info' });
          state.act = act;
          const fields = { 'x-request-id': 'request-of-mine' };
          const short = await ask(address, post(GOOD, { fields }));
          assert.deepEqual([state.short, state.long], [1, 0]);
          const told = lines.splice(0);
          const long = await ask(address, post(GOOD, { fields: { ...fields, ...LONG } }));
          assert.deepEqual([state.short, state.long], [1, 1]);
          assert.deepEqual(comparable(short), comparable(long));
          const same = (line: Record<string, unknown>) => ({
            ...line,
            time: 0,
            ms: 0,
            err: (line.err as Error)?.message,
          });
          assert.equal(told.at(-1)?.operationId, 'v1any');
          assert.equal(typeof told.at(-1)?.ms, 'number');
          assert.deepEqual(told.map(same), lines.map(same));
        });
      }

      test('and pages of other origins may read it', async () => {
        const { address } = await given({ env: { CORS_ORIGINS: 'https://shop.example' } });
        const fields = { origin: 'https://shop.example' };
        const short = await ask(address, post(GOOD, { fields }));
        assert.match(short, /access-control-allow-origin: https:\/\/shop\.example/);
        assert.deepEqual(
          comparable(short),
          comparable(await ask(address, post(GOOD, { fields: { ...fields, ...LONG } }))),
        );
        assert.deepEqual([state.short, state.long], [1, 1]);
      });
    });

    test('it is counted and timed like every request', async () => {
      const { address } = await given();
      await ask(address, post(GOOD), post(GOOD), post(GOOD));
      assert.equal(state.short, 3);
      const metrics = await (await fetch(`${address}/metrics`)).text();
      assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1any",status="202"\} 3/);
    });

    test('the parser sees the first one only, and what else comes', async () => {
      const { address, side } = await given();
      const seen: unknown[] = [];
      side.app.server.on('request', ({ method, url }) => seen.push(`${method} ${url}`));
      const { socket, text, ended } = await connection(address);
      // One after the other: two that come together are the parser's.
      for (const body of [GOOD, GOOD, '{}', GOOD, GOOD]) {
        const had = text();
        socket.write(post(body));
        while (text() === had) await pause(1);
      }
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const statuses = [...(await ended).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
      assert.deepEqual(statuses, ['202', '202', '400', '202', '202', '200']);
      assert.deepEqual(seen, [isAhead ? 'POST /v1/first' : 'POST /v1/any', 'POST /v1/any', 'GET /healthz']);
    });

    test('several at once on one connection are answered in order', async () => {
      const { address } = await given();
      let first = true;
      state.act = async () => {
        if (!first) return;
        first = false;
        await pause(50);
      };
      const bodies = ['one', 'two', 'three'].map((text) => JSON.stringify({ text }));
      const replies = await ask(address, Buffer.concat(bodies.map((body) => post(body))));
      assert.deepEqual(
        [...replies.matchAll(/"text":"(\w+)"/g)].map(([, text]) => text),
        ['one', 'two', 'three'],
      );
      assert.equal(state.short, 3);
    });

    test('whoever does not read the replies is not read from any more, until they do', async () => {
      const { address, side } = await given();
      const sockets: Socket[] = [];
      side.app.server.on('connection', (socket: Socket) => void sockets.push(socket));
      const { socket, text } = await connection(address);
      socket.pause();
      const large = post(JSON.stringify({ text: 'a'.repeat(40_000) }));
      let sent = 0;
      for (let handled = -1; handled < state.short + state.long && sent < 1000; sent++) {
        handled = state.short + state.long;
        socket.write(large);
        for (let i = 0; i < 50 && state.short + state.long === handled; i++) await pause(2);
      }
      assert.ok(sent < 1000);
      assert.ok((sockets[0]?.writableLength ?? 0) < 1_000_000, `${sockets[0]?.writableLength} bytes wait`);
      socket.resume();
      while (text().split('HTTP/1.1 202').length - 1 < sent) await pause(5);
      assert.equal(state.short + state.long, sent);
      socket.destroy();
    });

    test('whoever has sent all there is to send, and ends, has it done', async () => {
      const { address } = await given();
      const { promise, resolve } = Promise.withResolvers<void>();
      state.act = () => promise;
      const { socket } = await connection(address);
      socket.write(post(GOOD));
      while (state.short === 0) await pause(2);
      socket.write(post(GOOD));
      await pause(20);
      socket.end();
      await pause(20);
      resolve();
      while (state.short < 2) await pause(2);
    });

    test('what is no HTTP behind it waits for its answer, and ends the connection', async () => {
      const { address } = await given();
      state.act = () => pause(50);
      const { socket, ended } = await connection(address);
      socket.write(Buffer.concat([post(GOOD), Buffer.from('this is no request\r\n\r\n')]));
      const text = await ended;
      assert.equal(state.short, 1);
      assert.match(text, /^HTTP\/1\.1 202 Accepted[\s\S]*^connection: close$/im);
      assert.equal(text.split('HTTP/1.1 ').length, 2);
    });

    test('what is no HTTP is told so, also where another protocol was asked for before', async () => {
      const { address } = await given();
      const upgrade = post(GOOD, { fields: { connection: 'Upgrade', upgrade: 'h2c' } });
      const statuses = async (...parts: (Buffer | string)[]): Promise<string[]> => {
        const { socket, text, ended } = await connection(address);
        for (const part of parts) {
          const had = text();
          socket.write(part);
          for (let i = 0; i < 50 && text() === had; i++) await pause(2);
        }
        socket.end();
        await ended;
        return [...text().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status ?? '');
      };
      assert.deepEqual(await statuses(upgrade, post(GOOD), 'no request\r\n\r\n', post(GOOD)), ['202', '202', '400']);
    });

    test('a body may come in parts, and many of them', async () => {
      const { address } = await given();
      const long = JSON.stringify({ text: '€'.repeat(20_000) });
      const bytes = post(long);
      const cuts = [0, 200, 201, 30_000, bytes.length];
      const reply = await ask(address, ...cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end)));
      assert.deepEqual([state.short, state.long], [1, 0]);
      assert.equal(JSON.parse(comparable(reply).body).text.length, 20_000);
    });

    describe('whatever is to be refused, or to be looked at more closely, goes the long way as it came', () => {
      const cases: Record<string, { body?: string | Buffer; post?: Post; status: number; handled?: true }> = {
        'no JSON': { body: '{"text":', status: 400 },
        'another schema': { body: '{"text":1,"more":2}', status: 400 },
        'no UTF-8': { body: Buffer.from('{"text":"\xff"}', 'latin1'), status: 400 },
        'U+0000': { body: String.raw`{"text":"\u0000"}`, status: 400 },
        'an escape that is fine': { body: String.raw`{"text":"\u00e9"}`, status: 202, handled: true },
        'a key of the prototype': { body: '{"text":"a","__proto__":{"a":1}}', status: 400 },
        'the same key, written otherwise': { body: String.raw`{"text":"a","\u005f_proto__":{"a":1}}`, status: 400 },
        'a byte order mark': { body: `\ufeff${GOOD}`, status: 202, handled: true },
        'no body': { body: '', status: 400 },
        'a large body': {
          body: JSON.stringify({ text: 'a'.repeat(70_000) }),
          post: { path: '/v1/scoped' },
          status: 202,
          handled: true,
        },
        'a body that is too large': { body: JSON.stringify({ text: 'a'.repeat(80_001) }), status: 413 },
        'another type': { post: { fields: { 'content-type': 'text/plain' } }, status: 415 },
        'a compressed body': { post: { fields: { 'content-encoding': 'gzip' } }, status: 415 },
        'an Idempotency-Key': {
          post: { fields: { 'idempotency-key': 'key-of-a-test-1' } },
          status: 202,
          handled: true,
        },
        'another format wanted': { post: { fields: { accept: 'text/html' } }, status: 406 },
        'no Host': { post: { fields: { host: null } }, status: 400 },
        'a parameter': { post: { path: '/v1/any?n=1' }, status: 400 },
        'no credential': { post: { as: null }, status: 401 },
        'a wrong key': { post: { as: 'nobody' }, status: 401 },
        'a key without the scope': { post: { path: '/v1/scoped', as: 'scopeless' }, status: 403 },
      };
      for (const [name, { body = GOOD, post: how, status, handled }] of Object.entries(cases)) {
        test(name, async () => {
          const { address } = await given({ env: { BODY_LIMIT_BYTES: '80000' } });
          const reply = await ask(address, post(body, how));
          assert.match(reply, new RegExp(`^HTTP/1\\.1 ${status} `));
          assert.deepEqual([state.short, state.long], [0, handled ? 1 : 0]);
        });
      }

      test('a body of unknown length', async () => {
        const { address } = await given();
        const reply = await fetch(`${address}/v1/any`, {
          method: 'POST',
          headers: { authorization: 'Bearer publisher', 'content-type': 'application/json' },
          body: new Blob([GOOD]).stream(),
          duplex: 'half',
        } as RequestInit);
        assert.deepEqual([reply.status, state.short, state.long], [202, 0, 1]);
      });

      test('one that came in parts is told all of its faults', async () => {
        const { address } = await given();
        const bytes = post('{"text":1,"ids":["no id"],"more":2}');
        const reply = await ask(address, bytes.subarray(0, -20), bytes.subarray(-20, -3), bytes.subarray(-3));
        const { error } = JSON.parse(comparable(reply).body);
        assert.deepEqual(error.details.map((d: { path: string }) => d.path).toSorted(), [
          'body.ids.0',
          'body.more',
          'body.text',
        ]);
        assert.equal(state.short + state.long, 0);
      });

      test('a limit is reached at the same request', async () => {
        const { address } = await given({ env: { RATE_LIMIT_KEY: '3' } });
        const replies = await ask(address, ...Array.from({ length: 5 }, () => post(GOOD)));
        const statuses = [...replies.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
        assert.deepEqual(statuses, ['202', '202', '202', '429', '429']);
        assert.equal(state.short, 3);
      });

      test('what is over a limit is refused by its head', async () => {
        const { address } = await given({ env: { RATE_LIMIT_KEY: '1' } });
        await ask(address, post(GOOD));
        const { socket, text, ended } = await connection(address, true);
        socket.write(post(GOOD).subarray(0, -5));
        while (!text().includes('\r\n\r\n')) await pause(5);
        assert.match(text(), /^HTTP\/1\.1 429/);
        socket.destroy();
        await ended;
      });

      test('where all is logged, the framework is asked', async () => {
        const { address } = await given({ level: 'debug' });
        await ask(address, post(GOOD));
        assert.deepEqual([state.short, state.long], [0, 1]);
      });
    });

    describe('whoever hangs up leaves nothing behind', () => {
      test('in the middle of the body', async () => {
        const { address } = await given();
        const { socket, ended } = await connection(address);
        socket.write(post(GOOD).subarray(0, -5));
        await pause(20);
        socket.resetAndDestroy();
        await ended;
        assert.match(await ask(address, post(GOOD)), /^HTTP\/1\.1 202/);
        assert.deepEqual([state.short, state.long], [1, 0]);
      });

      test('before the answer', async () => {
        const { address } = await given();
        const { promise, resolve } = Promise.withResolvers<void>();
        state.act = () => promise;
        const { socket, ended } = await connection(address);
        socket.write(post(GOOD));
        while (state.short === 0) await pause(5);
        socket.resetAndDestroy();
        await ended;
        resolve();
        state.act = async () => undefined;
        assert.match(await ask(address, post(GOOD)), /^HTTP\/1\.1 202/);
        const metrics = await (await fetch(`${address}/metrics`)).text();
        assert.match(metrics, /posthorn_http_request_seconds_count\{operation="v1any",status="202"\} 2/);
      });
    });

    test('a request that is under way when the shutdown begins is the last one on its connection; then nothing is taken', async () => {
      const { side, address } = await given();
      const { promise, resolve } = Promise.withResolvers<void>();
      state.act = () => promise;
      const { socket, ended } = await connection(address);
      socket.write(post(GOOD));
      while (state.short === 0) await pause(5);
      side.drain();
      resolve();
      const reply = await ended;
      assert.match(reply, /^HTTP\/1\.1 202 [\s\S]*^connection: close$/im);
      assert.deepEqual(JSON.parse(comparable(reply).body), {
        text: 'é ÿ € 😀 العربية',
        ids: ['0198c7a0-0000-7000-8000-000000000001'],
      });
      side.refuse();
      const late = await connection(address, true);
      late.socket.write(post(GOOD));
      assert.match(await late.ended, /^HTTP\/1\.1 503/);
      assert.deepEqual([state.short, state.long], [1, 0]);
    });
  });
