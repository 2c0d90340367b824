import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { VirtualTime } from '../../../../test/helpers/virtual-time.ts';
import { NotTaken } from '../../../platform/nats/work-queue.ts';
import { waiting } from '../engine/attempt.ts';
import { noOutcomes, writeFault, writeOutcome } from '../engine/thread-messages.ts';
import type { AttemptOutcome } from '../engine/types.ts';
import { HandOver } from './hand-over.ts';
import { type Handed, readHanded, readSaying } from './messages.ts';

const NOW = Date.UTC(2026, 0, 1);
const DUE_AGAIN = waiting('PENDING', 0, NOW, null);
const DELIVERED: AttemptOutcome = { ...waiting('HELD', 1, 5, null), status: 'DELIVERED', log: '{}', durationMs: 3 };
type Sent = Promise<AttemptOutcome>;
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** A holder with so many other workers, what it puts and tells, and what it makes itself. */
function given(others = 1, hasNoRoom?: (endpointId: string) => boolean, slots = 100) {
  const handed: Handed[] = [];
  const told: { node: string | null; batches: number[] }[] = [];
  const madeHere: string[] = [];
  const queue = {
    isUp: true,
    maxBytes: 100_000,
    refuses: false,
    isMute: false,
    put: async (data: Uint8Array) => {
      if (queue.refuses) throw new NotTaken('no stream');
      if (queue.isMute) throw new Error('no answer');
      handed.push(readHanded(data) as Handed);
    },
    tell(node: string | null, data: Uint8Array) {
      const saying = readSaying(data);
      if (saying.kind === 'written') told.push({ node, batches: saying.batches });
    },
  };
  const there = new Set<string>();
  const peers = { count: others, isThere: (node: string) => there.has(node) };
  const state = { stands: true, isFull: true, othersSlots: 100 * others };
  const handOver = new HandOver({
    queue,
    nodeId: 'holder',
    peers,
    here: async ({ deliveryId }) => {
      madeHere.push(deliveryId);
      await turn();
      return DELIVERED;
    },
    isFull: (endpointId) => state.isFull && (hasNoRoom?.(endpointId) ?? true),
    slots,
    othersSlots: () => state.othersSlots,
    stands: () => state.stands,
    now: () => NOW,
  });
  const send = (id: string, endpointId = 'endpoint'): Promise<AttemptOutcome> => {
    const endpoint = engineEndpoint(endpointId, { version: 4 });
    return handOver.send(ticketOf(endpoint, id), endpoint, []);
  };
  /** A worker brings the outcomes of these attempts. */
  const bring = (ids: readonly number[], outcome = DELIVERED): void => {
    const outcomes = noOutcomes();
    for (const id of ids) writeOutcome(outcomes, id, outcome);
    handOver.answer({ kind: 'outcomes', worker: 'w', outcomes, back: [] });
  };
  const wanted = (batch: number, worker = 'w'): number[] | null | undefined =>
    handOver.answer({ kind: 'wanted', worker, batches: [batch] })[0];
  return { state, handOver, queue, peers, there, handed, told, madeHere, send, bring, wanted };
}

/** Four attempts: two are the share of this process, the others, b and c, are handed over as one message. */
async function handedTwo() {
  const all = given();
  const [first, b, third, c] = ['here', 'b', 'here too', 'c'].map((id) => all.send(id)) as [Sent, Sent, Sent, Sent];
  await Promise.all([first, third]);
  assert.deepEqual(all.madeHere.splice(0), ['here', 'here too']);
  assert.equal(all.handed.length, 1);
  return { ...all, outcomes: [b, c] as const };
}

test('what is handed over names its endpoints by id and version, and carries no secret, address or header', async () => {
  const { handed } = await handedTwo();
  const [{ from, batch, endpoints, contents, attempts }] = handed as [Handed];
  assert.deepEqual({ from, batch, endpoints }, { from: 'holder', batch: 0, endpoints: [['endpoint', 4]] });
  assert.deepEqual(contents, ['{}', 'offer.created', 'e']);
  assert.equal(handed[0]!.at, NOW);
  assert.deepEqual(attempts, [0, 0, 0, 'b', 1, 0, 1, 0, 0, 'c', 1, 0]);
});

test('the message is acknowledged once every outcome of it has a row, and not before', async () => {
  const { handOver, outcomes, told, bring, wanted } = await handedTwo();
  bring([0, 1]);
  await Promise.all(outcomes);
  handOver.written(['b']);
  handOver.sweep();
  assert.deepEqual(told, []);
  assert.deepEqual(wanted(0), [], 'another worker that gets it has nothing to do');
  handOver.written(['c']);
  assert.deepEqual(told, [{ node: 'w', batches: [0] }]);
  assert.equal(wanted(0), null);
});

test('an outcome that comes twice counts once', async () => {
  const { handOver, outcomes, told, bring } = await handedTwo();
  bring([0]);
  bring([0, 1], { ...DELIVERED, durationMs: 9 });
  bring([1]);
  assert.deepEqual(
    (await Promise.all(outcomes)).map((o) => o.durationMs),
    [3, 9],
  );
  handOver.written(['b', 'c']);
  handOver.written(['b', 'c']);
  assert.deepEqual(told, [{ node: 'w', batches: [0] }]);
});

test('a fault of the worker rejects, and what it cannot make is due again at once', async () => {
  const { handOver, outcomes, told } = await handedTwo();
  const faults = noOutcomes();
  writeFault(faults, 0, 'out of memory');
  handOver.answer({ kind: 'outcomes', worker: 'w', outcomes: faults, back: [1] });
  await assert.rejects(outcomes[0], /out of memory/);
  assert.deepEqual(await outcomes[1], waiting('PENDING', 0, NOW, null));
  handOver.sweep();
  assert.deepEqual(told, [{ node: 'w', batches: [0] }]);
});

test('while there is room here nothing is handed over, but for what may end the process', async () => {
  const { state, handed, madeHere, send, handOver } = given();
  state.isFull = false;
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => send(id)));
  assert.deepEqual([madeHere.splice(0), handed.length], [['a', 'b', 'c', 'd'], 0]);
  const endpoint = engineEndpoint('endpoint', { version: 4 });
  void handOver.send({ ...ticketOf(endpoint, 'e'), faults: 1 }, endpoint, []);
  await turn();
  assert.deepEqual([madeHere, handed.length], [[], 1]);
});

test('what an endpoint has no room for goes to others, beside what another has room for', async () => {
  const { handed, madeHere, send } = given(1, (endpointId) => endpointId === 'busy');
  const sent = ['busy', 'idle', 'busy', 'idle', 'busy'].map((id, i) => send(`${i}`, id));
  await Promise.all([sent[0], sent[1], sent[3]]);
  assert.deepEqual(madeHere, ['0', '1', '3']);
  assert.deepEqual(
    handed.flatMap(({ endpoints }) => endpoints.map(([id]) => id)),
    ['busy'],
  );
});

test('where others have no room either it makes what it has slots for, and no more', async () => {
  const { state, handOver, handed, madeHere, send } = given(1, undefined, 3);
  assert.equal(handOver.isFull, false);
  state.othersSlots = 0;
  for (const id of ['a', 'b', 'c', 'd']) void send(id);
  assert.equal(handOver.isFull, true);
  await turn();
  assert.deepEqual([madeHere, handed.map((h) => h.attempts.length / 6)], [['a', 'b', 'c'], [1]]);
});

test('a share is by the slots that each has, and never more than one has', async () => {
  const { state, handed, madeHere, send } = given(1, undefined, 5);
  state.othersSlots = 15;
  for (let i = 0; i < 40; i++) void send(`d${i}`);
  await turn();
  assert.equal(madeHere.length, 5, 'a quarter would be ten');
  assert.equal(handed.flatMap((h) => h.attempts).length / 6, 35);
});

test('without other workers or a connection all is made here', async () => {
  for (const trouble of ['alone', 'down'] as const) {
    const { queue, peers, madeHere, handed, send } = given();
    if (trouble === 'alone') peers.count = 0;
    else queue.isUp = false;
    assert.deepEqual(
      await Promise.all(['a', 'b', 'c'].map((id) => send(id))),
      [DELIVERED, DELIVERED, DELIVERED],
      trouble,
    );
    assert.deepEqual(madeHere.toSorted(), ['a', 'b', 'c']);
    assert.deepEqual(handed, []);
  }
});

test('what the queue did not take is due again, and nothing more is handed over for a while', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { queue, madeHere, handed, send } = given();
  queue.refuses = true;
  assert.deepEqual(await Promise.all(['a', 'b'].map((id) => send(id))), [DELIVERED, DUE_AGAIN]);
  queue.refuses = false;
  await Promise.all(['c', 'd'].map((id) => send(id)));
  assert.deepEqual(madeHere, ['a', 'c', 'd']);
  await time.pass(5100);
  for (const id of ['e', 'f']) void send(id);
  await turn();
  assert.equal(handed.length, 1);
});

test('what may have been taken is not made a second time before it is silent for long', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, queue, madeHere, send, bring } = given();
  queue.isMute = true;
  const [, b] = ['a', 'b'].map((id) => send(id)) as [Sent, Sent];
  await time.pass(2500);
  handOver.sweep();
  bring([0]);
  assert.deepEqual(await b, DELIVERED);
  assert.deepEqual(madeHere, ['a']);
});

test('a message that would be too long is divided, down to what is made here', async () => {
  const { queue, send, handed, madeHere } = given();
  queue.maxBytes = 188;
  for (let i = 0; i < 8; i++) void send(`d${i}`);
  await turn();
  assert.deepEqual(
    handed.map((h) => h.attempts.length / 6),
    [2, 2],
  );
  queue.maxBytes = 10;
  for (let i = 0; i < 8; i++) void send(`e${i}`);
  await turn();
  assert.equal(handed.length, 2);
  assert.ok(madeHere.length >= 8);
});

test('what comes back to the process that handed it over is made here', async () => {
  const { handOver, outcomes, madeHere, wanted } = await handedTwo();
  handOver.takeOwn(0);
  await Promise.all(outcomes);
  assert.deepEqual(madeHere, ['b', 'c']);
  assert.equal(wanted(0), null);
  assert.equal(handOver.takeOwn(7), true);
});

test('what comes back while another has it is left to that one', async () => {
  const { handOver, madeHere, wanted, bring, outcomes } = await handedTwo();
  assert.deepEqual(wanted(0), [0, 1]);
  assert.equal(handOver.takeOwn(0), false);
  bring([0, 1]);
  await Promise.all(outcomes);
  assert.deepEqual(madeHere, []);
});

test('of those that waited, the ones with a rate take their turn anew', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, wanted } = given();
  const [plain, paced] = [null, 5].map((ratePerSecond, i) => engineEndpoint(`e${i}`, { ratePerSecond }));
  const sent = ['here', 'a', 'here too', 'b'].map((id, i) => {
    const endpoint = (i < 2 ? plain : paced) as ReturnType<typeof engineEndpoint>;
    return handOver.send(ticketOf(endpoint, id), endpoint, []);
  });
  await time.pass(1500);
  assert.deepEqual(wanted(0), [0]);
  assert.deepEqual(await sent[3], DUE_AGAIN);
});

test('who does not decide any more lets nothing begin', async () => {
  for (const how of ['asked', 'own'] as const) {
    const { state, handOver, outcomes, madeHere, wanted } = await handedTwo();
    state.stands = false;
    if (how === 'own') handOver.takeOwn(0);
    else assert.deepEqual(wanted(0), []);
    assert.deepEqual(await Promise.all(outcomes), [DUE_AGAIN, DUE_AGAIN]);
    assert.deepEqual(madeHere, []);
  }
});

test('a crowd goes out in messages for all the others to have some', async () => {
  const { send, handed, madeHere } = given(4);
  for (let i = 0; i < 101; i++) void send(`d${i}`);
  await turn();
  assert.equal(madeHere.length, 21, 'a fifth, and the first');
  assert.deepEqual(
    handed.map((h) => h.attempts.length / 6),
    [20, 20, 20, 20],
  );
});

test('nobody says a word about it: taken back and due again; whoever comes with it then hears that none is wanted', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, outcomes, wanted } = await handedTwo();
  await time.pass(4900);
  handOver.sweep();
  assert.equal(handOver.takenBack, 0);
  await time.pass(200);
  handOver.sweep();
  assert.deepEqual(await Promise.all(outcomes), [DUE_AGAIN, DUE_AGAIN]);
  assert.equal(wanted(0), null);
  assert.equal(handOver.takenBack, 2);
});

test('one that was taken has ten seconds, in which the queue gives it to another', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, outcomes, wanted } = await handedTwo();
  assert.deepEqual(wanted(0), [0, 1]);
  await time.pass(9900);
  handOver.sweep();
  assert.equal(handOver.takenBack, 0);
  await time.pass(200);
  handOver.sweep();
  assert.deepEqual(await Promise.all(outcomes), [DUE_AGAIN, DUE_AGAIN]);
});

test('a worker that speaks of it keeps it, and no other gets it meanwhile', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, wanted } = await handedTwo();
  for (let i = 0; i < 5; i++) {
    assert.deepEqual(wanted(0), [0, 1]);
    await time.pass(2900);
    assert.deepEqual(wanted(0, 'another'), []);
    handOver.sweep();
  }
  assert.equal(handOver.takenBack, 0);
});

test('what two workers did not live to tell of is a fault of ours, and no third one gets it', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { outcomes, wanted } = await handedTwo();
  assert.deepEqual(wanted(0, 'first'), [0, 1]);
  await time.pass(5000);
  assert.deepEqual(wanted(0, 'second'), [0, 1]);
  await time.pass(5000);
  const failed = Promise.all(outcomes.map((outcome) => assert.rejects(outcome, /fell silent/)));
  assert.deepEqual(wanted(0, 'third'), []);
  await failed;
  assert.equal(wanted(0, 'third'), null);
});

test('workers that stood still and are there again have not ended; at the fifth silence it is a fault all the same', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, there, outcomes, wanted, bring } = await handedTwo();
  const failed = assert.rejects(outcomes[1], /5 workers took the attempt on/);
  for (let i = 0; i < 5; i++) {
    there.add(`w${i}`);
    assert.deepEqual(wanted(0, `w${i}`), i < 3 ? [0, 1] : [1]);
    if (i === 2) bring([0]);
    await time.pass(4500);
    handOver.sweep();
  }
  assert.deepEqual(wanted(0, 'w5'), []);
  await failed;
  assert.deepEqual(await outcomes[0], DELIVERED);
});

test('what failed by a fault of ours before goes alone, and not to this process', async () => {
  const { handOver, handed, madeHere, peers } = given();
  const endpoint = engineEndpoint('endpoint', {});
  const idsOf = ({ attempts }: Handed): unknown[] => attempts.filter((value) => typeof value === 'string');
  for (const id of ['here', 'c', 'here', 'd', 'a', 'b'])
    void handOver.send({ ...ticketOf(endpoint, id), faults: id < 'c' ? 1 : 0 }, endpoint, []);
  await turn();
  assert.deepEqual(handed.map(idsOf), [['a'], ['b'], ['c', 'd']]);
  assert.deepEqual(madeHere, ['here', 'here']);
  assert.equal(handOver.takeOwn(0), false, 'nor is it made here when its message comes back, while there are others');
  peers.count = 0;
  assert.equal(handOver.takeOwn(0), true);
  assert.deepEqual(madeHere, ['here', 'here', 'a']);
});

test('that nobody has what this process did not want to make says nothing of the others', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver } = given();
  const endpoint = engineEndpoint('endpoint', {});
  const sent = handOver.send({ ...ticketOf(endpoint, 'a'), faults: 1 }, endpoint, []);
  await turn();
  assert.equal(handOver.takeOwn(0), false);
  await time.pass(5100);
  handOver.sweep();
  assert.deepEqual(await sent, DUE_AGAIN);
  assert.equal(handOver.canHand, true);
});

test('what a worker fell silent on is left to the others when it comes back here, and is made here without any', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { handOver, peers, madeHere, wanted, outcomes } = await handedTwo();
  assert.deepEqual(wanted(0), [0, 1]);
  await time.pass(4500);
  assert.equal(handOver.takeOwn(0), false);
  peers.count = 0;
  assert.equal(handOver.takeOwn(0), true);
  await Promise.all(outcomes);
  assert.deepEqual(madeHere, ['b', 'c']);
});

test('workers that end later take nothing from the one that is at it', async (t: TestContext) => {
  const time = new VirtualTime(t);
  const { there, wanted } = await handedTwo();
  for (const worker of ['w1', 'w2', 'w3']) {
    there.add(worker);
    assert.deepEqual(wanted(0, worker), [0, 1]);
    await time.pass(4500);
  }
  there.clear();
  assert.deepEqual(wanted(0, 'w3'), [0, 1]);
});

test('at the end what is with others is due again', async () => {
  const { handOver, outcomes } = await handedTwo();
  handOver.abandon();
  assert.deepEqual(await outcomes[0], waiting('PENDING', 0, NOW, 'SHUTDOWN'));
  assert.equal(handOver.away, 0);
});
