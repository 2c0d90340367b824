import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { monotonicNow } from '../../../lib/clock.ts';
import { until } from '../../../../test/helpers/engine.ts';
import { engineEndpoint as endpoint, ticketOf as ticket } from '../../../../test/helpers/tickets.ts';
import { VirtualTime } from '../../../../test/helpers/virtual-time.ts';
import { Dispatcher } from './dispatcher.ts';
import type { EngineEndpoint } from './types.ts';

/** A dispatcher whose attempts end when the test says so. */
function given(t: TestContext, maxInFlight: number, maxQueued = 1000, maxPerEndpoint = maxInFlight) {
  const started: string[] = [];
  const putOff: string[] = [];
  const ends = new Map<string, () => void>();
  const dispatcher = new Dispatcher({
    attempt: ({ deliveryId }) => {
      started.push(deliveryId);
      return new Promise((end) => ends.set(deliveryId, () => end('good')));
    },
    putOff: ({ deliveryId }) => void putOff.push(deliveryId),
    maySend: () => true,
    isOpening: () => false,
    slots: () => maxInFlight,
    ownSlots: maxInFlight,
    maxPerEndpoint: () => maxPerEndpoint,
    maxQueued,
  });
  const end = async (...ids: string[]): Promise<void> => {
    for (const id of ids) ends.get(id)?.();
    await new Promise((done) => setImmediate(done));
  };
  /** From now on nothing is known against these endpoints: each has answered. */
  const answered = async (...endpoints: EngineEndpoint[]): Promise<void> => {
    for (const one of endpoints) {
      dispatcher.submit(ticket(one, 'before'));
      await end('before');
    }
    started.length = 0;
  };
  t.after(() => void dispatcher.drain(0));
  return { dispatcher, started, putOff, end, answered };
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
  const { dispatcher, started, end, answered } = given(t, 5);
  const [a, b] = [endpoint('a', { maxInFlight: 2 }), endpoint('b')];
  await answered(b);
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
  const { dispatcher, started, answered } = given(t, 10);
  await answered(endpoint('a', { maxInFlight: 1 }));
  for (let i = 1; i <= 3; i++) dispatcher.submit(ticket(endpoint('a', { maxInFlight: 1 }), `a${i}`));
  assert.deepEqual(started, ['a1']);
  dispatcher.submit(ticket(endpoint('a', { maxInFlight: 3 }), 'a4'));
  assert.deepEqual(started, ['a1', 'a2', 'a3']);
});

test('a rate lets a second of it through at once, and no more', async (t) => {
  const { dispatcher, started, answered } = given(t, 100);
  const limited = endpoint('a', { ratePerSecond: 4 });
  await answered(limited);
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

test('no endpoint has more than its share of the slots, whatever it asks for', async (t) => {
  const { dispatcher, started, end, answered } = given(t, 10, 1000, 3);
  const [greedy, other] = [endpoint('greedy', { maxInFlight: 1000 }), endpoint('other', { maxInFlight: 2 })];
  await answered(greedy);
  for (let i = 1; i <= 9; i++) dispatcher.submit(ticket(greedy, `g${i}`));
  assert.deepEqual(started, ['g1', 'g2', 'g3']);
  assert.deepEqual(dispatcher.busyEndpoints(), ['greedy']);
  for (let i = 1; i <= 3; i++) dispatcher.submit(ticket(other, `o${i}`));
  assert.deepEqual(started.slice(3), ['o1', 'o2']);
  assert.deepEqual([dispatcher.inFlight, dispatcher.queued], [5, 7]);
  assert.equal(dispatcher.room, 5, 'what waits for a full endpoint takes no slot');
  await end('g1');
  assert.equal(started.at(-1), 'g4');
  assert.equal(dispatcher.inFlight, 5);
});

test('while slots are scarce a hanging endpoint gets no more than two, and a healthy one goes on', async (t) => {
  const time = new VirtualTime(t);
  const { dispatcher, started, end, answered } = given(t, 16);
  const [hanging, healthy] = [endpoint('hanging'), endpoint('healthy')];
  await answered(hanging);
  for (let i = 1; i <= 8; i++) dispatcher.submit(ticket(hanging, `h${i}`));
  assert.equal(started.length, 8, 'it does not hang yet');
  await time.pass(1100, 100);
  // Claimed: they are not put off while this test looks.
  for (let i = 9; i <= 11; i++) dispatcher.submit({ ...ticket(hanging, `h${i}`), lease: { until: 'later' } });
  assert.equal(started.length, 8);
  assert.deepEqual(dispatcher.busyEndpoints(), ['hanging']);
  for (let i = 1; i <= 9; i++) dispatcher.submit(ticket(healthy, `ok${i}`));
  assert.deepEqual(started.slice(8), ['ok1', 'ok2'], 'it has not answered yet');
  await end('ok1');
  assert.deepEqual(started.slice(10), ['ok3', 'ok4', 'ok5', 'ok6', 'ok7', 'ok8', 'ok9']);
  await end('h1', 'h2', 'h3', 'h4', 'h5', 'h6');
  assert.equal(dispatcher.inFlight, 10, 'two hang, and none is added');
  await end('h7');
  assert.deepEqual(started.slice(17), ['h9'], 'two again');
  await end('ok2', 'ok3', 'ok4', 'ok5');
  await time.pass(100, 100);
  assert.deepEqual(started.slice(18), ['h10', 'h11'], 'once slots are free they go');
});

test('claimed ones take half of the memory at most, and do not count as fresh', async (t) => {
  const { dispatcher, putOff, answered } = given(t, 100, 10);
  const limited = endpoint('limited', { ratePerSecond: 2 });
  await answered(limited);
  dispatcher.submit(ticket(limited, 'goes'));
  assert.equal(dispatcher.room, 5);
  for (let i = 1; i <= 5; i++) dispatcher.submit({ ...ticket(limited, `c${i}`), lease: { until: 'later' } });
  assert.deepEqual([dispatcher.queued, dispatcher.freshQueued, dispatcher.room], [5, 0, 0]);
  const other = endpoint('other', { maxInFlight: 1 });
  for (let i = 1; i <= 6; i++) dispatcher.submit(ticket(other, `f${i}`));
  assert.deepEqual([dispatcher.queued, dispatcher.freshQueued, putOff], [10, 5, []]);
  assert.deepEqual(
    [dispatcher.busyEndpoints(), [...dispatcher.claimLimits()]],
    [
      ['other'],
      [
        ['limited', 10],
        ['other', 0],
      ],
    ],
  );
});

/** Endpoints that never answer, and so many requests to each as it takes. Claimed, so that they stay. */
function flood(dispatcher: Dispatcher, count: number): void {
  for (let i = 0; i < count; i++) {
    const hanging = endpoint(`hanging${i}`, { maxInFlight: 16 });
    for (let j = 0; j < 32; j++)
      dispatcher.submit({ ...ticket(hanging, `hanging${i}-${j}`), lease: { until: 'later' } });
  }
}

for (const [count, TIMEOUT_MS] of [
  [12, 15_000],
  [120, 15_000],
  [120, 5000],
  [120, 1000],
] as const) {
  test(`${count} endpoints that hang for ${TIMEOUT_MS} ms leave slots to one that answers, round after round`, async (t) => {
    const time = new VirtualTime(t);
    const ANSWER_MS = 5;
    const sent = { healthy: 0, putOff: 0 };
    const dispatcher = new Dispatcher({
      attempt: async ({ endpoint: { id } }) => {
        await new Promise((done) => setTimeout(done, id === 'healthy' ? ANSWER_MS : TIMEOUT_MS));
        if (id === 'healthy') sent.healthy++;
        return id === 'healthy' ? 'good' : 'bad';
      },
      putOff: ({ endpoint: { id } }) => void (id === 'healthy' && sent.putOff++),
      maySend: () => true,
      isOpening: () => false,
      slots: () => 128,
      ownSlots: 128,
      maxQueued: 100_000,
    });
    t.after(() => void dispatcher.drain(0));
    flood(dispatcher, count);
    // What a crowd of strangers takes before each of it is known to hang.
    await time.pass(3 * TIMEOUT_MS, 50);
    sent.putOff = 0;
    const before = sent.healthy;
    for (let i = 0; i < 450; i++) {
      if (i % 150 === 0) flood(dispatcher, count);
      dispatcher.submit(ticket(endpoint('healthy'), `ok${i}`));
      await time.pass(100, 50);
      assert.ok(dispatcher.inFlight <= 65 + 2, `${dispatcher.inFlight} slots are taken`);
    }
    assert.deepEqual([sent.healthy - before, sent.putOff], [450, 0]);
  });
}

test('of what was begun lately only so much is under way; what takes longer makes room by its age', async (t) => {
  const time = new VirtualTime(t);
  const { dispatcher, started, end } = given(t, 2000);
  for (let i = 1; i <= 500; i++)
    dispatcher.submit({ ...ticket(endpoint(`e${i}`), `d${i}`), lease: { until: 'later' } });
  assert.deepEqual([started.length, dispatcher.queued], [448, 52]);
  await end('d1', 'd2');
  assert.equal(started.length, 450, 'a fast answer makes room at once');
  await time.pass(100, 1);
  assert.equal(started.length, 500, 'the others go, though nothing else has ended');
});

test("an account that was another node's meanwhile begins with an empty bucket; what waits for others stays", async (t) => {
  const since = new Map<string, number>();
  const gone = new Set<string>();
  const started: string[] = [];
  const dispatcher = new Dispatcher({
    attempt: ({ deliveryId }) => {
      started.push(deliveryId);
      return new Promise(() => undefined);
    },
    putOff: () => undefined,
    maySend: (accountId) => !gone.has(accountId),
    sendsSince: (accountId) => since.get(accountId) ?? Number.NEGATIVE_INFINITY,
    isOpening: () => false,
    slots: () => 100,
    ownSlots: 100,
    maxQueued: 100,
  });
  t.after(() => void dispatcher.drain(0));
  const of = (accountId: string): EngineEndpoint =>
    endpoint(`of-${accountId}`, { accountId, ratePerSecond: 3, maxInFlight: 2 });
  const submit = (accountId: string, ...ids: string[]): void => {
    for (const id of ids)
      dispatcher.submit({ ...ticket(of(accountId), `${accountId}-${id}`), lease: { until: 'later' } });
  };
  submit('a', '1', '2', '3');
  submit('b', '1', '2', '3');
  assert.deepEqual(started, ['a-1', 'a-2', 'b-1', 'b-2'], 'each has all it may have at once');
  gone.add('a');
  const forgotten = dispatcher.forgetQueued((accountId) => gone.has(accountId));
  assert.deepEqual(
    forgotten.map((f) => f.deliveryId),
    ['a-3'],
  );
  assert.equal(dispatcher.queued, 1, "the other's waits on");
  assert.deepEqual(dispatcher.busyEndpoints(), ['of-b'], 'nothing is looked for that another sends');
  gone.clear();
  since.set('c', monotonicNow());
  submit('c', '1', '2', '3');
  assert.deepEqual(started.slice(4), ['c-1'], 'a new one begins with one');
});
