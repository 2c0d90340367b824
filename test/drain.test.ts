import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { cleanup } from './helpers/cleanup.ts';
import { testService } from './helpers/service.ts';

interface Answer {
  status: number;
  connection: string | undefined;
}

/** As a balancer asks: over kept connections. */
function ask(url: string, path: string, agent?: Agent): Promise<Answer> {
  return new Promise((done, failed) => {
    request(`${url}${path}`, agent ? { agent } : {}, (reply) => {
      reply.resume().on('end', () => done({ status: reply.statusCode ?? 0, connection: reply.headers.connection }));
    })
      .on('error', failed)
      .end();
  });
}

test('a node that was asked to stop says so, serves on for DRAIN_SECONDS, and closes each connection with its reply', async () => {
  const service = await testService({ env: { DRAIN_SECONDS: '1' } });
  const { url } = service;
  const agent = new Agent({ keepAlive: true });
  cleanup(() => agent.destroy());
  assert.deepEqual(await ask(url, '/readyz', agent), { status: 200, connection: 'keep-alive' });
  const startedAt = performance.now();
  let isStopped = false;
  const stopping = service.service.stop().then(() => (isStopped = true));
  assert.deepEqual(await ask(url, '/readyz', agent), { status: 503, connection: 'close' });
  // Until the end of that second nobody is refused, on connections that were kept and on new ones.
  for (let asked = 0; performance.now() - startedAt < 800; asked++) {
    const answer = await ask(url, '/healthz', asked % 2 === 0 ? agent : undefined);
    assert.deepEqual(answer, { status: 200, connection: 'close' });
    const listed = await ask(url, '/v1/blog/posts', agent);
    assert.deepEqual(listed, { status: 401, connection: 'close' });
  }
  assert.equal(isStopped, false);
  await stopping;
  assert.ok(performance.now() - startedAt >= 1000);
  await assert.rejects(ask(url, '/healthz'), { code: 'ECONNREFUSED' });
});
