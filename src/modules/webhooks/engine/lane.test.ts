import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { VirtualTime } from '../../../../test/helpers/virtual-time.ts';
import { Lane } from './lane.ts';
import type { EngineEndpoint, Ticket } from './types.ts';

const SHARE = 50;

const lane = (more: Partial<EngineEndpoint> = {}): Lane => new Lane(engineEndpoint('e', more), SHARE);
const ticket = (lane: Lane): Ticket => ticketOf(lane.endpoint, 'd');

/** Starts as many of so many queued tickets as may go. */
function start(lane: Lane, count: number, isScarce = false): Ticket[] {
  for (let i = 0; i < count; i++) lane.queue.push(ticket(lane));
  const started: Ticket[] = [];
  for (let next = lane.takeReady(isScarce); next; next = lane.takeReady(isScarce)) started.push(next);
  return started;
}

/** Attempts that take so long each, one after the other. */
async function attempts(lane: Lane, time: VirtualTime, count: number, ms: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const [only] = start(lane, 1, true);
    await time.pass(ms, ms);
    lane.finish(only as Ticket);
  }
}

test('an endpoint may have what it asks for, up to its share', () => {
  assert.equal(lane({ maxInFlight: 4 }).cap(false), 4);
  assert.equal(lane({ maxInFlight: 1000 }).cap(false), SHARE);
  const greedy = lane({ maxInFlight: 1000 });
  assert.equal(start(greedy, 60).length, SHARE);
  assert.equal(greedy.queue.size, 10);
});

test('while slots are scarce, one that has not answered yet may have two, and all once it has', async (t) => {
  const time = new VirtualTime(t);
  const fresh = lane();
  assert.deepEqual([fresh.cap(true), fresh.cap(false)], [2, SHARE]);
  assert.equal(lane({ maxInFlight: 1 }).cap(true), 1, 'not more than it asks for');
  await attempts(fresh, time, 1, 5);
  assert.equal(fresh.cap(true), SHARE);
});

test('one that hangs may have two while slots are scarce, also when nothing old is under way', async (t) => {
  const time = new VirtualTime(t);
  const hanging = lane();
  await attempts(hanging, time, 1, 5);
  const old = start(hanging, 16);
  assert.equal(old.length, 16);
  await time.pass(1001, 1001);
  assert.deepEqual([hanging.isHanging, hanging.cap(true), hanging.cap(false)], [true, 2, SHARE]);
  await time.pass(14_000, 14_000);
  for (const one of old) hanging.finish(one);
  assert.deepEqual([hanging.inFlight, hanging.isHanging, hanging.cap(true)], [0, true, 2], 'all ended together');
  const next = start(hanging, 5, true);
  assert.equal(next.length, 2);
  await time.pass(5, 5);
  for (const one of next) hanging.finish(one);
  await attempts(hanging, time, 10, 5);
  assert.ok(hanging.isHanging);
  await attempts(hanging, time, 15, 5);
  assert.deepEqual([hanging.isHanging, hanging.cap(true)], [false, SHARE], 'it answers again');
});

test('that an endpoint hung is remembered for five minutes', async (t) => {
  const time = new VirtualTime(t);
  const hanging = lane();
  await attempts(hanging, time, 1, 15_000);
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
  limited.finish(only);
  assert.equal(limited.isIdle, false, 'a new lane would let a second of the rate through at once');
  await time.pass(100);
  assert.ok(limited.isIdle);
});

test('what is claimed for an endpoint is what it can send soon', async (t) => {
  const time = new VirtualTime(t);
  const [quick, slow] = [lane({ maxInFlight: 16 }), lane({ maxInFlight: 16 })];
  assert.equal(quick.claimable(false), 32, 'two rounds');
  await attempts(slow, time, 10, 15_000);
  assert.equal(slow.claimable(false), 16, 'one, of long attempts');
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
  const send = (count: number): void => start(limited, count).forEach((ticket) => limited.finish(ticket));
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
