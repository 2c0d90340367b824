import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';
import type { OutboundRequest } from './index.ts';
import { answering, LOOPBACK, type Script, senderFor, silent, startReceiver, target } from './test-receiver.ts';

const MANY = 300;
const TIMES = 10;
const requestTo = (url: string): OutboundRequest => ({ url: target(url), headers: [], body: '{}', deadlineMs: 10_000 });
const answer = answering(200, 'ok');

test('a receiver that answers one after the other has few requests under way, however many there are', async (t) => {
  let [underWay, answered, most] = [0, 0, 0];
  let turn = Promise.resolve();
  // One in each turn of the event loop: what comes at once waits there, as at a receiver whose one core is full.
  const inTurn: Script = (socket, nth) => {
    underWay++;
    // Not the first ones: it is found out by their times.
    if (answered > (TIMES * MANY) / 2) most = Math.max(most, underWay);
    turn = turn
      .then(() => setImmediate())
      .then(() => {
        underWay--;
        answered++;
        answer(socket, nth);
      });
  };
  const receiver = await startReceiver(t, inTurn);
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1024, patienceMs: 10_000 });
  const sendAll = async (): Promise<void> => {
    for (let i = 0; i < TIMES; i++) assert.equal((await sender.send(requestTo(receiver.url))).kind, 'response');
  };
  // By itself it answers soon.
  await sendAll();
  await Promise.all(Array.from({ length: MANY }, sendAll));
  assert.equal(answered, TIMES * (MANY + 1));
  assert.ok(most <= 64, `${most} at once`);
});

test('one that takes as long for many as for one gets all at once, also where it closes each connection or says more than is read', async (t) => {
  for (const later of [answer, answering(200, 'ok', 'connection: close\r\n'), answering(200, 'x'.repeat(70_000))]) {
    let [underWay, most] = [0, 0];
    const receiver = await startReceiver(t, (socket, nth) => {
      most = Math.max(most, ++underWay);
      void setTimeout(300).then(() => {
        underWay--;
        later(socket, nth);
      });
    });
    const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1024, patienceMs: 10_000 });
    await sender.send(requestTo(receiver.url));
    const sent = Array.from({ length: MANY }, () => sender.send(requestTo(receiver.url)));
    const outcomes = await Promise.all(sent);
    assert.ok(outcomes.every((outcome) => outcome.kind === 'response' && outcome.timings.totalMs < 5000));
    // Those for which there was no room in the first 300 ms, on a machine that is busy, come behind.
    assert.ok(most > 2 * 64, `${most} at once`);
  }
});

test('nobody waits for those that hang, nor waits for as long as one that does', async (t) => {
  const patienceMs = 2000;
  let hanging = 0;
  const receiver = await startReceiver(t, (socket, nth) =>
    hanging < MANY ? (hanging++, silent(socket, nth)) : answer(socket, nth),
  );
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1024, patienceMs });
  const lost = Array.from({ length: MANY }, () => sender.send(requestTo(receiver.url)));
  while (hanging < MANY) await setTimeout(5);
  // Until the last of them was begun so long ago.
  await setTimeout(patienceMs);
  const started = monotonicNow();
  const outcomes = await Promise.all([1, 2, 3].map(() => sender.send(requestTo(receiver.url))));
  assert.ok(outcomes.every((outcome) => outcome.kind === 'response'));
  assert.ok(monotonicNow() - started < patienceMs, 'none of them waits');
  await sender.close();
  await Promise.all(lost);
});

test('an origin that had a line and ended is not taken for the one in its place', async (t) => {
  const close = answering(200, 'ok', 'connection: close\r\n');
  let isOver = false;
  const receiver = await startReceiver(t, (socket, nth) => (isOver ? silent : close)(socket, nth));
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1024 });
  await Promise.all(Array.from({ length: 70 }, () => sender.send(requestTo(receiver.url))));
  isOver = true;
  const hanging = sender.send(requestTo(receiver.url));
  // Longer than anything of the line before takes.
  await setTimeout(100);
  await sender.close();
  const outcome = await hanging;
  assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'SHUTDOWN');
});
