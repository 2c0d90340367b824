import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { withDatabase } from '../../../test/helpers/database.ts';
import { httpSide } from '../../../test/helpers/http-app.ts';
import { monotonicNow } from '../../lib/clock.ts';
import { octets } from './etag.ts';
import { read } from './route.ts';
import { watchUnsent } from './unsent.ts';

/** More than the buffers of a connection take. */
const BYTES = 16_000_000;
const get = 'GET /v1/large HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key1\r\n\r\n';

/** Asks, and reads nothing yet. */
async function askAndWait(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(get);
  await pause(200);
  return socket;
}

async function readToEnd(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  socket.resume();
  await once(socket, 'close');
  return bytes;
}

test('a large reply that was given before a shutdown reaches whoever reads it slowly', async () => {
  const large = read({
    method: 'GET',
    path: '/v1/large',
    operationId: 'large',
    tag: 'test',
    summary: 'test',
    access: 'any',
    schemas: { replies: { 200: Type.String() } },
    handle: async () => ({ status: 200, bytes: octets(JSON.stringify('x'.repeat(BYTES))) }),
  });
  const { app } = await httpSide([large], { database: await withDatabase() });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = await askAndWait((app.server.address() as AddressInfo).port);
  const closed = app.close();
  await pause(200);
  assert.ok((await readToEnd(socket)) > BYTES);
  await closed;
});

test('who takes nothing is waited for no longer than that, and who hangs up not at all', async (t) => {
  const server = createServer((_request, response) => response.end(Buffer.alloc(BYTES)));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const sent = watchUnsent(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const timed = async (ms: number): Promise<number> => {
    const from = monotonicNow();
    await sent(ms);
    return monotonicNow() - from;
  };
  assert.ok((await timed(5000)) < 1000, 'nobody has asked');
  const socket = await askAndWait(port);
  const waited = await timed(500);
  assert.ok(waited >= 490 && waited < 4000, `${waited} ms`);
  setTimeout(() => socket.destroy(), 100);
  assert.ok((await timed(20_000)) < 10_000);
});
