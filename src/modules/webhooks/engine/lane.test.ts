import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../test/helpers/engine.ts';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { monotonicNow } from '../../../lib/clock.ts';
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

async function pass(ms: number): Promise<void> {
  const from = monotonicNow();
  await until(`${ms} ms pass`, () => monotonicNow() - from > ms);
}

test('an endpoint may have what it asks for, up to its share', () => {
  assert.equal(lane({ maxInFlight: 4 }).cap(false), 4);
  assert.equal(lane({ maxInFlight: 1000 }).cap(false), SHARE);
  assert.equal(lane({ maxInFlight: 1000 }).cap(true), SHARE, 'nothing hangs');
  const greedy = lane({ maxInFlight: 1000 });
  assert.equal(start(greedy, 60).length, SHARE);
  assert.equal(greedy.queue.size, 10);
});

test('one that hangs may have two while slots are scarce, until it answers', async () => {
  const [hanging, single] = [lane(), lane({ maxInFlight: 1 })];
  const old = start(hanging, 3, true);
  start(single, 1, true);
  assert.equal(old.length, 3);
  await pass(1001);
  assert.deepEqual([hanging.cap(true), hanging.cap(false)], [2, SHARE]);
  assert.equal(single.cap(true), 1, 'not more than it asks for');
  assert.equal(start(hanging, 1, true).length, 0);
  for (const t of old.slice(0, 2)) hanging.finish(t);
  const [next, more] = start(hanging, 1, true);
  assert.ok(next && !more);
  assert.equal(hanging.queue.size, 1);
  hanging.finish(old[2] as Ticket);
  assert.equal(hanging.cap(true), SHARE, 'what is under way now is young');
});

test('the wait is told by the rate as well: what the bucket holds goes at once', () => {
  const limited = lane({ ratePerSecond: 2 });
  assert.equal(limited.expectedWaitMs(), 0);
  limited.queue.push(ticket(limited));
  assert.equal(limited.expectedWaitMs(), 0);
  start(limited, 3);
  const wait = limited.expectedWaitMs();
  assert.ok(wait > 1400 && wait <= 1500, `two wait and the bucket is empty: ${wait}`);
});

test('a lane is not forgotten before its bucket is full again', async () => {
  const limited = lane({ ratePerSecond: 10 });
  assert.ok(limited.isIdle);
  const [only] = start(limited, 1);
  assert.ok(only);
  assert.equal(limited.isIdle, false);
  limited.finish(only);
  assert.equal(limited.isIdle, false, 'a new lane would let a second of the rate through at once');
  await until('the bucket is full', () => limited.isIdle);
});
