import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { EVENTS } from '../src/contracts/events/index.ts';
import { type IssuedKey, testService } from './helpers/service.ts';

const PUBLISHERS = 12;

/** Publishes one event after the other on a connection that is kept, and tells how that ended. */
async function publishing(url: string, { key, accountId }: IssuedKey, published: { count: number }): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const event = 'checkout.started';
  const body = JSON.stringify({ event, data: EVENTS[event].example, accountIds: [accountId] });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const publish = (): Promise<number> =>
    new Promise((done, failed) => {
      const asked = request(`${url}/v1/events`, { method: 'POST', agent, headers }, (reply) => {
        reply.resume();
        reply.on('end', () => done(reply.statusCode ?? 0));
        reply.on('error', failed);
      });
      asked.on('error', failed);
      asked.end(body);
    });
  try {
    for (;;) {
      const status = await publish();
      published.count++;
      if (status === 503) return '503';
    }
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? error);
  } finally {
    agent.destroy();
  }
}

test('who keeps asking on a connection is refused when the service ends, and never left without an answer', async () => {
  for (let round = 0; round < 5; round++) {
    const service = await testService({ withoutLoops: true });
    const key = await service.key(['events:publish'], await service.account('PLATFORM'));
    const published = { count: 0 };
    const ends = Array.from({ length: PUBLISHERS }, () => publishing(service.url, key, published));
    while (published.count < 10 * PUBLISHERS) await new Promise((done) => setTimeout(done, 5));
    const begunAt = performance.now();
    await service.service.stop();
    assert.ok(performance.now() - begunAt < 5000);
    assert.deepEqual(
      await Promise.all(ends),
      Array.from({ length: PUBLISHERS }, () => '503'),
    );
  }
});

test('a service that nobody asks ends at once', async () => {
  const service = await testService({ withoutLoops: true });
  await new Promise((done) => setTimeout(done, 100));
  await service.service.stop();
  await assert.rejects(fetch(`${service.url}/healthz`));
});
