import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createClient } from '../client/src/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { newPlace, startChild } from '../test/helpers/child.ts';
import { testDb } from '../test/helpers/database.ts';

/**
 * A connection that is written to by hand, since half a request is what is tried here; `answer` is what came so far, `closed`
 * when the other end has closed it.
 */
async function open(url: string): Promise<{ socket: Socket; answer: () => string; closed: Promise<unknown> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  const closed = new Promise((done) => socket.once('close', done));
  await once(socket, 'connect');
  return { socket, answer: () => answer, closed };
}
const head = (method: string, path: string, length: number): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const CREDENTIALS = {
  POSTHORN_OPERATOR_EMAIL: 'operator@example.com',
  POSTHORN_OPERATOR_PASSWORD: 'correct horse battery',
};
const OPERATOR = {
  email: CREDENTIALS.POSTHORN_OPERATOR_EMAIL,
  password: CREDENTIALS.POSTHORN_OPERATOR_PASSWORD,
};
const SIGN_IN = JSON.stringify(OPERATOR);

describe('SIGTERM', () => {
  test('finishes what is under way, takes nothing new, closes idle connections, and ends with 0 within 10 s', async () => {
    const service = await startChild({ ...(await newPlace()), ...CREDENTIALS });
    assert.notEqual(service.url, '', service.output());

    const idle = await open(service.url);
    idle.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle.socket, 'data');
    const underWay = await open(service.url);
    underWay.socket.write(head('POST', '/v1/auth/sign-in', Buffer.byteLength(SIGN_IN)) + SIGN_IN.slice(0, 10));
    // Answered after the unfinished request has arrived: the service reads connections in order.
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);

    const started = monotonicNow();
    service.child.kill('SIGTERM');
    await idle.closed;
    await assert.rejects(fetch(`${service.url}/healthz`), 'a new connection was accepted');

    underWay.socket.write(SIGN_IN.slice(10));
    await underWay.closed;
    assert.match(underWay.answer(), /^HTTP\/1\.1 200 /);
    assert.match(underWay.answer(), /"accessToken":"phs_/);
    assert.match(underWay.answer(), /^connection: close\r$/im);

    assert.equal(await service.ended, 0, service.output());
    assert.ok(monotonicNow() - started < 10_000);
    assert.match(service.output(), /"msg":"stopped"/);
  });

  test('a request that begins after it on a connection still open is refused with 503', async () => {
    const service = await startChild({ ...(await newPlace()), ...CREDENTIALS });
    const busy = await open(service.url);
    busy.socket.write(head('POST', '/v1/auth/sign-in', Buffer.byteLength(SIGN_IN)) + SIGN_IN.slice(0, 10));
    const late = await open(service.url);
    // Half of its headers: not idle, and not a request yet.
    late.socket.write('GET /healthz HTTP/1.1\r\nHo');
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    service.child.kill('SIGTERM');
    await assert.rejects(async () => {
      for (;;) await fetch(`${service.url}/healthz`);
    });
    late.socket.write('st: x\r\n\r\n');
    await late.closed;
    if (late.answer() !== '') {
      assert.match(late.answer(), /^HTTP\/1\.1 503 /);
      assert.match(late.answer(), /"code":"UNAVAILABLE"/);
      assert.match(late.answer(), /^retry-after: 1\r$/im);
    }
    busy.socket.write(SIGN_IN.slice(10));
    await busy.closed;
    assert.match(busy.answer(), /^HTTP\/1\.1 200 /);
    assert.equal(await service.ended, 0);
  });

  test('does not wait for ever for a client that never ends its request', async () => {
    const service = await startChild({ ...(await newPlace()), ...CREDENTIALS, SHUTDOWN_SECONDS: '2' });
    const stuck = await open(service.url);
    stuck.socket.write(head('POST', '/v1/auth/sign-in', 1000));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    const started = monotonicNow();
    service.child.kill('SIGTERM');
    await service.ended;
    assert.ok(monotonicNow() - started < 4000, `${monotonicNow() - started} ms`);
  });
});

describe('a start', () => {
  test('over another process on the same data folder is refused in words', {
    skip: testDb !== 'pglite' && 'PostgreSQL takes several',
  }, async () => {
    const place = await newPlace();
    const first = await startChild(place);
    assert.notEqual(first.url, '', first.output());
    const second = await startChild(place);
    assert.equal(await second.ended, 1);
    assert.match(second.output(), /^Posthorn did not start: the data folder .* is in use by another Posthorn process/m);
    assert.doesNotMatch(second.output(), /\n\s+at /);
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
  });

  test('with wrong settings tells all of them at once, and no secret', async () => {
    const { url, output, ended } = await startChild({ PORT: 'x', POSTHORN_TYPO: '1', POSTHORN_MASTER_KEY: 'hunter2' });
    assert.equal(url, '');
    assert.equal(await ended, 1);
    assert.match(
      output(),
      /3 settings are wrong:\n {2}PORT .*\n {2}POSTHORN_TYPO is not a setting.*\n {2}POSTHORN_MASTER_KEY must/,
    );
    assert.doesNotMatch(output(), /hunter2|\n\s+at /);
  });

  test('on a port that is taken says so, and leaves the database as it was', async () => {
    const first = await startChild(await newPlace());
    const folder = join(tmpdir(), `posthorn-not-made-${process.pid}`);
    const second = await startChild({ POSTHORN_DATA_DIR: folder, PORT: new URL(first.url).port });
    assert.equal(await second.ended, 1);
    assert.match(second.output(), /the port is in use .*set PORT/);
    await assert.rejects(access(folder), { code: 'ENOENT' });
  });

  test('after a stop finds its data again', async () => {
    const place = await newPlace();
    const signIn = (baseUrl: string) => createClient({ baseUrl }).signIn({ body: OPERATOR });
    const first = await startChild({ ...place, ...CREDENTIALS });
    const { user } = await signIn(first.url);
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);
    const second = await startChild(place);
    assert.equal((await signIn(second.url)).user.id, user.id);
  });
});
