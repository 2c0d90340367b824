import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { watchAsking } from './asking.ts';

/** A server that takes so long for each answer, and ends the connection with it or keeps it. Milliseconds. */
async function given(answerMs: number, { keeps = false } = {}) {
  let asked = 0;
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    asked++;
    response.setHeader('connection', keeps ? 'keep-alive' : 'close');
    setTimeout(() => response.end(resolve), answerMs);
  });
  const quiet = watchAsking(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: keeps });
  after(() => agent.destroy());
  /** `written` hears when it is with the system, of which nothing was read here. */
  const ask = (written?: () => void): Promise<void> =>
    new Promise((done, failed) => {
      const sent = request({ port, host: '127.0.0.1', agent }, (reply) => reply.resume().on('end', () => done()));
      sent.on('error', failed);
      sent.end(written);
    });
  return { quiet, ask, asked: () => asked, answered };
}

test('whoever is answered late and asks again is waited for', async () => {
  const { quiet, ask, asked } = await given(150);
  const asking = ask().then(() => ask());
  while (asked() === 0) await pause(1);
  const end = performance.now() + 5000;
  await quiet(5000);
  assert.equal(asked(), 2);
  assert.ok(performance.now() < end, 'it ends before its time');
  await asking;
});

test('whoever was answered just now, and had asked long before, is waited for', async () => {
  const { quiet, ask, asked, answered } = await given(150, { keeps: true });
  const asking = ask().then(() => ask());
  await answered;
  await quiet(5000);
  assert.equal(asked(), 2);
  await asking;
});

test('what came while the process was held up is heard', async () => {
  const { quiet, ask, asked } = await given(0, { keeps: true });
  await ask();
  let waiting: Promise<void> | undefined;
  const asking = ask(() => {
    waiting = quiet(5000);
    const until = performance.now() + 100;
    while (performance.now() < until);
  });
  while (waiting === undefined) await pause(1);
  await waiting;
  assert.equal(asked(), 2);
  await asking;
});

test('nobody is waited for in vain: not for longer than said, and not at all where nobody asks', async () => {
  const { quiet, ask, asked } = await given(1000);
  const began = performance.now();
  await quiet(5000);
  assert.ok(performance.now() - began < 1000);
  const asking = ask();
  while (asked() === 0) await pause(1);
  const from = performance.now();
  await quiet(100);
  const took = performance.now() - from;
  assert.ok(took >= 95 && took < 900, `${took} ms`);
  await asking;
});
