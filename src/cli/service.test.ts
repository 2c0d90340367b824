import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { RefusedRequest, Service } from './service.ts';

/** Answers with these codes one after the other, and then 200; keeps the Idempotency-Keys. */
async function answering(...codes: [number, string][]) {
  const keys: unknown[] = [];
  const server = createServer((request, reply) => {
    keys.push(request.headers['idempotency-key']);
    const [status, code] = codes.shift() ?? [200, ''];
    request.resume();
    reply.writeHead(status, { 'content-type': 'application/json' });
    reply.end(JSON.stringify(status === 200 ? { done: true } : { error: { code, message: 'No.', requestId: 'r' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { keys, service: new Service(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'x') };
}

test('a write that the service is still at is asked for again, with the same key', async () => {
  const { keys, service } = await answering([409, 'IDEMPOTENCY_IN_PROGRESS']);
  assert.deepEqual(await service.post('/x', {}), { done: true });
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
});

test('what does not fit is refused, by a kind of its own', async () => {
  for (const [status, code] of [
    [400, 'VALIDATION_ERROR'],
    [413, 'PAYLOAD_TOO_LARGE'],
  ] as const) {
    const { service } = await answering([status, code]);
    await assert.rejects(service.post('/x', {}), (error) => error instanceof RefusedRequest);
  }
  const { service } = await answering([403, 'FORBIDDEN']);
  await assert.rejects(service.post('/x', {}), (error) => !(error instanceof RefusedRequest));
});

test('another conflict is told at once', async () => {
  const { keys, service } = await answering([409, 'SLUG_TAKEN']);
  await assert.rejects(service.post('/x', {}), /SLUG_TAKEN \(409\): No\. \[request r\]/);
  assert.equal(keys.length, 1);
});
