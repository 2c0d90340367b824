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

test('one that takes as long for many as for one gets all at once', async (t) => {
  const receiver = await startReceiver(t, (socket, nth) => void setTimeout(300).then(() => answer(socket, nth)));
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1024 });
  await sender.send(requestTo(receiver.url));
  const sent = Array.from({ length: MANY }, () => sender.send(requestTo(receiver.url)));
  while (receiver.sockets.length < MANY) await setTimeout(5);
  const outcomes = await Promise.all(sent);
  assert.ok(outcomes.every((outcome) => outcome.kind === 'response' && outcome.timings.totalMs < 5000));
});

test('nobody waits for those that hang', async (t) => {
  let hanging = 0;
  const receiver = await startReceiver(t, (socket, nth) =>
    hanging < MANY ? (hanging++, silent(socket, nth)) : answer(socket, nth),
  );
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1024 });
  const lost = Array.from({ length: MANY }, () => sender.send(requestTo(receiver.url)));
  while (hanging < MANY) await setTimeout(5);
  const started = monotonicNow();
  const outcomes = await Promise.all([1, 2, 3].map(() => sender.send(requestTo(receiver.url))));
  assert.ok(outcomes.every((outcome) => outcome.kind === 'response'));
  assert.ok(monotonicNow() - started < 5000, 'long before the deadline of the others');
  await sender.close();
  await Promise.all(lost);
});
