import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../src/platform/log/log.ts';
import { type Envelope, testService } from './helpers/service.ts';

const lines: { level: string; msg: string; requestId?: string }[] = [];
const log = createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
const service = await testService({ withoutLoops: true, log });
const { token: editor } = await service.user({ blogRole: 'EDITOR' });
const operator = await service.operator();

const open = (text: string): Socket => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text));
  return socket.setEncoding('utf8');
};

/** Bytes on a connection of their own, for what no client library sends; gives the whole answer. */
const raw = (text: string): Promise<string> =>
  new Promise((done, fail) => {
    let answer = '';
    const socket = open(text).on('data', (chunk: string) => (answer += chunk));
    socket.once('end', () => done(answer)).once('error', fail);
  });

/** The answer must be this failure, in the envelope, with the same request id in body and header. */
async function refused(text: string, requestId?: string): Promise<Envelope['error']> {
  const answer = await raw(text);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Envelope;
  assert.equal(error.code, 'VALIDATION_ERROR');
  assert.match(answer, new RegExp(`^x-request-id: ${requestId ?? error.requestId}\\r$`, 'im'));
  if (requestId !== undefined) assert.equal(error.requestId, requestId);
  return error;
}

describe('what Node refuses by itself is answered in the envelope', () => {
  test('what is no HTTP', async () => {
    await refused('NONSENSE\r\n\r\n');
  });

  for (const path of ['/v1/blog/posts', '/healthz']) {
    test(`a request without Host: ${path}`, async () => {
      const error = await refused(
        `GET ${path} HTTP/1.1\r\nX-Request-Id: without-host\r\nConnection: close\r\n\r\n`,
        'without-host',
      );
      assert.deepEqual(error.details, [{ path: 'header.host', message: 'is required' }]);
    });
  }

  test('HTTP/1.0 needs no Host', async () => {
    assert.match(await raw('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  });

  test('an expectation that nobody knows', async () => {
    const error = await refused(
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nExpect: something-else\r\nX-Request-Id: what-to-expect\r\n' +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
      'what-to-expect',
    );
    assert.deepEqual(error.details, [{ path: 'header.expect', message: 'must be 100-continue' }]);
  });

  test('100-continue is known', async () => {
    const answer = await raw(
      'POST /v1/auth/sign-in HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n' +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  });
});

describe('what follows a request on its connection and is none', () => {
  const post = (name: string, more: string): string => {
    const body = JSON.stringify({ name, type: 'MERCHANT' });
    return (
      `POST /v1/admin/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator}\r\n` +
      `X-Request-Id: before-nonsense\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}${more}`
    );
  };

  test('leaves that its own answer, and ends the connection', async () => {
    const answer = await raw(post('Counted wrong', '%%%%'));
    assert.match(answer, /^HTTP\/1\.1 201 /);
    assert.match(answer, /^connection: close\r$/im);
    assert.equal(answer.split('HTTP/1.1').length, 2);
  });

  test('once that is answered it is told so', async () => {
    const socket = open(post('Counted right', ''));
    const [first] = (await once(socket, 'data')) as [string];
    assert.match(first, /^HTTP\/1\.1 201 /);
    socket.write('%%%%');
    const [second] = (await once(socket, 'data')) as [string];
    assert.match(second, /^HTTP\/1\.1 400 [^]*This is no HTTP request/);
    assert.doesNotMatch(second, /before-nonsense/);
  });

  test('a body that does not arrive in time is told so, by the id of its request', async () => {
    const { server } = service.service.http.app;
    const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
    const answer = raw(post('Never whole', '').replace(/Content-Length: \d+/, 'Content-Length: 5000'));
    const [{ socket }] = await arrived;
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    await setImmediate();
    server.emit('clientError', late, socket);
    assert.match(await answer, /^HTTP\/1\.1 400 [^]*x-request-id: before-nonsense[^]*did not arrive in time/);
  });
});

describe('who hangs up in the middle of an upload is no failure of ours', () => {
  for (const how of ['resetAndDestroy', 'end'] as const) {
    test(`by ${how}`, async () => {
      const id = `hangs-up-${how}`;
      const arrived = once(service.service.http.app.server, 'request');
      const socket = open(
        `POST /v1/blog/manage/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${editor}\r\nX-Request-Id: ${id}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"title": ',
      );
      const [request] = (await arrived) as [IncomingMessage];
      while (request.listenerCount('data') === 0) await setImmediate();
      socket[how]();
      const said = () => lines.filter((l) => l.requestId === id);
      while (said().length === 0) await setImmediate();
      assert.deepEqual([said()[0]?.level, said()[0]?.msg], ['debug', 'the caller hung up in the middle of the body']);
      // With this the answer to another request, whatever was to be counted or logged has been.
      const metrics = await service.call<string>('GET', '/metrics');
      assert.doesNotMatch(metrics.body, /operation="createPost",status="5/);
      assert.ok(lines.every((l) => !['warn', 'error', 'fatal'].includes(l.level)));
    });
  }
});
