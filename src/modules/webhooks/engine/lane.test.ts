import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { VirtualTime } from '../../../../test/helpers/virtual-time.ts';
import { Lane } from './lane.ts';
import type { Signal } from './pace.ts';
import type { EngineEndpoint, Ticket } from './types.ts';

const SHARE = 50;

/** Of an endpoint that answered before. */
const lane = (more: Partial<EngineEndpoint> = {}): Lane =>
  new Lane(engineEndpoint('e', more), () => SHARE, { isKnown: true });
const stranger = (more: Partial<EngineEndpoint> = {}): Lane => new Lane(engineEndpoint('e', more), () => SHARE);
const ticket = (lane: Lane): Ticket => ticketOf(lane.endpoint, 'd');

/** Starts as many of so many queued tickets as may go. */
function start(lane: Lane, count: number, isScarce = false): Ticket[] {
  for (let i = 0; i < count; i++) lane.queue.push(ticket(lane));
  const started: Ticket[] = [];
  for (let next = lane.takeReady(isScarce); next; next = lane.takeReady(isScarce)) started.push(next);
  return started;
}

/** Attempts that take so long each, one after the other. */
async function attempts(
  lane: Lane,
  time: VirtualTime,
  count: number,
  ms: number,
  signal: Signal = 'good',
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const [only] = start(lane, 1, true);
    await time.pass(ms, ms);
    lane.finish(only as Ticket, signal);
  }
}

/** As many good answers to a full load as it takes until it may have all. */
async function grown(one: Lane, time: VirtualTime): Promise<Lane> {
  for (let i = 0; i < 10; i++) {
    const started = start(one, one.cap(false));
    await time.pass(5, 5);
    for (const ticket of started) one.finish(ticket, 'good');
  }
  return one;
}

test('an endpoint that answers may soon have what it asks for, up to its share', async (t) => {
  const time = new VirtualTime(t);
  assert.equal(lane({ maxInFlight: 4 }).cap(false), 4);
  const greedy = lane({ maxInFlight: 1000 });
  assert.equal(greedy.cap(false), 8);
  await grown(greedy, time);
  assert.equal(greedy.cap(false), SHARE);
  assert.equal(start(greedy, 60).length, SHARE);
  assert.equal(greedy.queue.size, 10);
});

test('one that fails gets half as much with each round, down to one, and at most the double each second once it answers', async (t) => {
  const time = new VirtualTime(t);
  const failing = await grown(lane({ maxInFlight: 16 }), time);
  const caps: number[] = [];
  for (let i = 0; i < 6; i++) {
    const round = start(failing, failing.cap(false));
    await time.pass(5, 5);
    for (const one of round) failing.finish(one, 'bad');
    caps.push(failing.cap(false));
  }
  assert.deepEqual(caps, [8, 4, 2, 1, 1, 1], 'however many of a round fail');
  assert.equal(failing.isIdle, false, 'this is remembered');
  const seconds: number[] = [];
  for (let i = 0; i < 7; i++) {
    await attempts(failing, time, 199, 5);
    await time.pass(5, 5);
    const round = start(failing, failing.cap(false));
    for (const one of round) failing.finish(one, 'good');
    seconds.push(failing.cap(false));
    while (failing.queue.size > 0) failing.queue.shift();
  }
  for (const [i, cap] of seconds.entries())
    assert.ok(cap <= Math.min(16, 2 ** (i + 1)) && cap >= 2, `${cap} after ${i + 1} s`);
  assert.equal(seconds.at(-1), 16);
});

test('what a receiver does not want, and what was begun before the last cut, costs nothing', async (t) => {
  const time = new VirtualTime(t);
  const one = await grown(lane({ maxInFlight: 16 }), time);
  const [first, second, ...rest] = start(one, 16);
  await time.pass(5, 5);
  one.finish(first as Ticket, 'bad');
  assert.equal(one.cap(false), 8);
  one.finish(second as Ticket, 'bad');
  for (const ticket of rest) one.finish(ticket, 'none');
  assert.equal(one.cap(false), 8);
});

test('one that becomes four times as slow gets less, unless it stays so', async (t) => {
  const time = new VirtualTime(t);
  const one = await grown(lane({ maxInFlight: 16 }), time);
  const [slow] = start(one, 1);
  await time.pass(1100, 1100);
  one.finish(slow as Ticket, 'good');
  assert.equal(one.cap(false), 8);
  const steady = lane({ maxInFlight: 16 });
  await attempts(steady, time, 40, 1500);
  assert.equal(steady.cap(false), 8, 'its answers always took so long');
});

test('an endpoint that was opened a moment ago begins with one', (t) => {
  new VirtualTime(t);
  assert.equal(new Lane(engineEndpoint('e'), () => SHARE, { isKnown: true, isOpening: true }).cap(false), 1);
  const open = lane();
  assert.equal(open.cap(false), 8);
  open.endpoint = engineEndpoint('e', { openedAt: 1 });
  assert.equal(open.cap(false), 1);
});

test('one that has not answered yet may have two, and more once it has', async (t) => {
  const time = new VirtualTime(t);
  const fresh = stranger();
  assert.deepEqual([fresh.standing, fresh.cap(true), fresh.cap(false)], ['STRANGER', 2, 2]);
  assert.equal(stranger({ maxInFlight: 1 }).cap(true), 1, 'not more than it asks for');
  await attempts(fresh, time, 1, 5);
  assert.deepEqual([fresh.standing, fresh.cap(true)], ['TRUSTED', 8]);
  assert.equal(stranger({ failingSince: 1 }).standing, 'SUSPECT', 'it is known to fail');
});

test('one whose oldest request is late is suspect, by what is usual for it', async (t) => {
  const time = new VirtualTime(t);
  const [quick, slow] = [lane(), lane()];
  await attempts(quick, time, 1, 5);
  await attempts(slow, time, 1, 400);
  start(quick, 1);
  start(slow, 1);
  await time.pass(250, 10);
  assert.deepEqual([quick.standing, quick.cap(true), quick.cap(false)], ['SUSPECT', 2, 8]);
  assert.equal(slow.standing, 'TRUSTED');
});

test('one that hangs may have two while slots are scarce, also when nothing old is under way', async (t) => {
  const time = new VirtualTime(t);
  const hanging = await grown(lane({ maxInFlight: 64 }), time);
  const old = start(hanging, 16);
  assert.equal(old.length, 16);
  await time.pass(1001, 1001);
  assert.deepEqual([hanging.isHanging, hanging.cap(true), hanging.cap(false)], [true, 2, SHARE]);
  await time.pass(14_000, 14_000);
  for (const one of old) hanging.finish(one, 'bad');
  assert.deepEqual([hanging.inFlight, hanging.isHanging, hanging.cap(true)], [0, true, 2], 'all ended together');
  const next = start(hanging, 5, true);
  assert.equal(next.length, 2);
  await time.pass(5, 5);
  for (const one of next) hanging.finish(one, 'good');
  await attempts(hanging, time, 10, 5);
  assert.ok(hanging.isHanging);
  await attempts(hanging, time, 15, 5);
  assert.deepEqual([hanging.isHanging, hanging.standing], [false, 'TRUSTED'], 'it answers again');
});

test('one that gave no answer is known to hang by that alone, however short the timeout is', async (t) => {
  const time = new VirtualTime(t);
  for (const [ms, signal, standing] of [
    [15_000, 'bad', 'SUSPECT'],
    [1000, 'bad', 'SUSPECT'],
    [900, 'bad', 'TRUSTED'],
    [5000, 'good', 'TRUSTED'],
  ] as const) {
    const one = lane();
    await attempts(one, time, 3, 5);
    await attempts(one, time, 1, ms, signal);
    assert.deepEqual([one.inFlight, one.standing], [0, standing], `${ms} ms, ${signal}`);
  }
});

test('that an endpoint hung is remembered for five minutes', async (t) => {
  const time = new VirtualTime(t);
  const hanging = lane();
  await attempts(hanging, time, 1, 15_000, 'bad');
  assert.equal(hanging.isIdle, false);
  await time.pass(299_000, 1000);
  assert.equal(hanging.isIdle, false);
  await time.pass(2000, 1000);
  assert.equal(hanging.isIdle, true);
});

test('the wait is told by the rate as well: what the bucket holds goes at once', (t) => {
  new VirtualTime(t);
  const limited = lane({ ratePerSecond: 2 });
  assert.equal(limited.expectedWaitMs(), 0);
  limited.queue.push(ticket(limited));
  assert.equal(limited.expectedWaitMs(), 0);
  start(limited, 3);
  const wait = limited.expectedWaitMs();
  assert.equal(wait, 1500, 'two wait and the bucket is empty');
});

test('a lane is not forgotten before its bucket is full again', async (t) => {
  const time = new VirtualTime(t);
  const limited = lane({ ratePerSecond: 10 });
  assert.ok(limited.isIdle);
  const [only] = start(limited, 1);
  assert.ok(only);
  assert.equal(limited.isIdle, false);
  limited.finish(only, 'good');
  assert.equal(limited.isIdle, false, 'a new lane would let a second of the rate through at once');
  await time.pass(100);
  assert.ok(limited.isIdle);
});

test('what is claimed for an endpoint is what it can send soon', async (t) => {
  const time = new VirtualTime(t);
  const [quick, slow] = [lane({ maxInFlight: 16 }), lane({ maxInFlight: 16 })];
  await grown(quick, time);
  assert.equal(quick.claimable(false), 32, 'two rounds');
  await attempts(slow, time, 10, 15_000);
  assert.equal(slow.claimable(false), 8, 'one, of long attempts');
  assert.equal(slow.claimable(true), 2);
  start(quick, 15);
  assert.equal(quick.claimable(false), 17);
  start(quick, 1);
  assert.equal(quick.claimable(false), 0, 'it is full');
});

test('of an endpoint with a rate, ten seconds of it are claimed, and again when half of that is sent', async (t) => {
  const time = new VirtualTime(t);
  const limited = lane({ ratePerSecond: 1 });
  assert.equal(limited.claimable(false), 11, 'with what the bucket holds');
  const send = (count: number): void => start(limited, count).forEach((ticket) => limited.finish(ticket, 'good'));
  send(11);
  assert.deepEqual([limited.queue.size, limited.claimable(false)], [10, 0]);
  for (let i = 0; i < 4; i++) {
    await time.pass(1000, 1000);
    send(0);
    assert.equal(limited.claimable(false), 0);
  }
  await time.pass(1000, 1000);
  send(0);
  assert.deepEqual([limited.queue.size, limited.claimable(false)], [5, 5]);
});

test('a lane that is used again after another node sent to it has nothing left of its bucket', () => {
  const lane = new Lane(engineEndpoint('e', { ratePerSecond: 100 }), () => 100);
  lane.startAnew();
  for (let i = 0; i < 5; i++) lane.queue.push(ticketOf(engineEndpoint('e'), `d${i}`));
  const taken = [1, 2, 3, 4, 5].map(() => lane.takeReady(false)).filter((ticket) => ticket !== undefined);
  assert.ok(taken.length <= 2, `${taken.length} of a bucket of one`);
});
