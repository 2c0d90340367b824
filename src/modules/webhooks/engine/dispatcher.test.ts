import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../test/helpers/engine.ts';
import { Dispatcher } from './dispatcher.ts';
import type { EngineEndpoint, Ticket } from './types.ts';

const endpoint = (id: string, more: Partial<EngineEndpoint> = {}): EngineEndpoint => ({
  id,
  accountId: 'a',
  url: '',
  target: null,
  events: new Set(),
  headers: [],
  maxInFlight: 100,
  ratePerSecond: null,
  status: 'ACTIVE',
  afterPosition: 0,
  ...more,
});

const ticket = (endpoint: EngineEndpoint, deliveryId: string): Ticket => ({
  deliveryId,
  endpoint,
  eventId: 'e',
  eventPosition: 1,
  webhook: 'offer.created',
  body: '{}',
  requestId: 'r',
  attempt: 1,
  isReplay: false,
  createdAt: 0,
  queuedAt: 0,
  lease: null,
  progress: null,
});

/** A dispatcher whose attempts end when the test says so. */
function given(t: TestContext, maxInFlight: number, maxQueued = 1000) {
  const started: string[] = [];
  const putOff: string[] = [];
  const ends = new Map<string, () => void>();
  const dispatcher = new Dispatcher({
    attempt: ({ deliveryId }) => (started.push(deliveryId), new Promise((end) => ends.set(deliveryId, end))),
    putOff: ({ deliveryId }) => void putOff.push(deliveryId),
    maxInFlight,
    maxQueued,
  });
  const end = async (...ids: string[]): Promise<void> => {
    for (const id of ids) ends.get(id)?.();
    await new Promise((done) => setImmediate(done));
  };
  t.after(() => dispatcher.drain(0));
  return { dispatcher, started, putOff, end };
}

test('endpoints are served in turn, so a long queue does not delay a short one', async (t) => {
  const { dispatcher, started, end } = given(t, 1);
  const [long, short] = [endpoint('long'), endpoint('short')];
  for (let i = 1; i <= 5; i++) dispatcher.submit(ticket(long, `l${i}`));
  for (let i = 1; i <= 2; i++) dispatcher.submit(ticket(short, `s${i}`));
  for (let i = 0; i < 7; i++) await end(...started);
  assert.deepEqual(started.toSorted(), ['l1', 'l2', 'l3', 'l4', 'l5', 's1', 's2']);
  assert.ok(started.indexOf('s2') < started.indexOf('l4'), String(started));
});

test('no endpoint has more requests under way than its cap, nor all together more than theirs', async (t) => {
  const { dispatcher, started, end } = given(t, 5);
  const [a, b] = [endpoint('a', { maxInFlight: 2 }), endpoint('b')];
  for (let i = 1; i <= 4; i++) dispatcher.submit(ticket(a, `a${i}`));
  assert.deepEqual(started, ['a1', 'a2']);
  assert.deepEqual(dispatcher.busyEndpoints(), ['a']);
  for (let i = 1; i <= 4; i++) dispatcher.submit(ticket(b, `b${i}`));
  assert.deepEqual(started.slice(2), ['b1', 'b2', 'b3']);
  assert.deepEqual([dispatcher.inFlight, dispatcher.queued, dispatcher.room], [5, 3, 0]);
  await end('a1');
  assert.equal(started.length, 6);
  await end('a2', 'b1', 'b2', 'b3');
  assert.equal(started.length, 8);
  assert.deepEqual([dispatcher.inFlight, dispatcher.queued, dispatcher.room], [3, 0, 2]);
});

test('a raised cap counts from the next ticket on', async (t) => {
  const { dispatcher, started } = given(t, 10);
  for (let i = 1; i <= 3; i++) dispatcher.submit(ticket(endpoint('a', { maxInFlight: 1 }), `a${i}`));
  assert.deepEqual(started, ['a1']);
  dispatcher.submit(ticket(endpoint('a', { maxInFlight: 3 }), 'a4'));
  assert.deepEqual(started, ['a1', 'a2', 'a3']);
});

test('a rate lets a second of it through at once, and no more', async (t) => {
  const { dispatcher, started } = given(t, 100);
  const limited = endpoint('a', { ratePerSecond: 3 });
  for (let i = 1; i <= 6; i++) dispatcher.submit(ticket(limited, `a${i}`));
  assert.deepEqual(started, ['a1', 'a2', 'a3']);
  await until('the next goes when the bucket has refilled', () => started.length === 4);
});

test('what does not fit into memory, and what waits longer than a second, is put off in its order', async (t) => {
  const { dispatcher, started, putOff } = given(t, 1, 2);
  const a = endpoint('a');
  for (let i = 1; i <= 4; i++) dispatcher.submit(ticket(a, `a${i}`));
  assert.deepEqual([started, putOff], [['a1'], ['a4']]);
  await until('the waiting ones are put off', () => putOff.length === 3);
  assert.deepEqual(putOff, ['a4', 'a2', 'a3']);
  assert.deepEqual([dispatcher.inFlight, dispatcher.queued], [1, 0]);
});

test('drain puts off what waits and resolves when nothing is under way, or after its time', async (t) => {
  const { dispatcher, started, putOff, end } = given(t, 1);
  for (let i = 1; i <= 3; i++) dispatcher.submit(ticket(endpoint('a'), `a${i}`));
  let drained = false;
  const draining = dispatcher.drain(60_000).then(() => (drained = true));
  assert.deepEqual([started, putOff], [['a1'], ['a2', 'a3']]);
  await new Promise((done) => setImmediate(done));
  assert.equal(drained, false);
  await end('a1');
  await draining;
  dispatcher.submit(ticket(endpoint('b'), 'b1'));
  await dispatcher.drain(1);
  assert.equal(dispatcher.inFlight, 1, 'it hangs, and is left');
});
