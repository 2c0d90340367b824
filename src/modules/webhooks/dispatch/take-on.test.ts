import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../../lib/clock.ts';
import { until } from '../../../../test/helpers/engine.ts';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { NobodyThere } from '../../../platform/nats/work-queue.ts';
import { waiting } from '../engine/attempt.ts';
import { readOutcomes } from '../engine/thread-messages.ts';
import type { AttemptOutcome, Ticket } from '../engine/types.ts';
import { type Question, readQuestion, type Wanted, writeHanded, writeWanted, VERSION } from './messages.ts';
import { TakeOn } from './take-on.ts';

const DELIVERED: AttemptOutcome = { ...waiting('HELD', 1, 5, null), status: 'DELIVERED', log: '{}', durationMs: 3 };
const SECRETS = [{ keyId: 'k' }] as never;

/** A worker of so many slots, what it was asked to make, and a holder that knows what is wanted. */
function given({ slots = 100, known = ['one', 'two'] } = {}) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const brought: number[] = [];
  const back: number[] = [];
  const state: { wanted: Wanted | 'gone' | 'mute'; holderIsKnown: boolean; refreshed: number } = {
    wanted: [null],
    holderIsKnown: true,
    refreshed: 0,
  };
  const asked: Question[] = [];
  const owned: number[] = [];
  const endpoints = new Map(known.map((id) => [id, engineEndpoint(id, { version: 2 })]));
  const takeOn = new TakeOn({
    queue: {
      maxBytes: 100_000,
      async ask(_node, data) {
        const question = readQuestion(data) as Question;
        asked.push(question);
        if (state.wanted === 'gone') throw new NobodyThere('gone');
        if (state.wanted === 'mute') throw new Error('no answer');
        if (question.kind === 'wanted') return writeWanted(state.wanted);
        readOutcomes(
          question.outcomes,
          () => 1,
          (id) => void brought.push(id),
        );
        back.push(...question.back);
        return writeWanted([]);
      },
    },
    nodeId: 'worker',
    now: () => systemClock.now(),
    peers: { isThere: () => state.holderIsKnown },
    registry: {
      get: (id) => endpoints.get(id),
      async refresh() {
        state.refreshed++;
      },
    },
    secretsOf: () => SECRETS,
    loadSecrets: async () => undefined,
    here: ({ deliveryId }) => {
      started.push(deliveryId);
      return new Promise((done) => ends.push(() => done(DELIVERED)));
    },
    own: (batch) => owned.push(batch) < 2,
    busy: () => 0,
    slots,
    log: pino({ level: 'silent' }),
  });
  return { takeOn, started, ends, brought, back, asked, owned, state };
}

/** A message of attempts, and what becomes of it. */
function job(
  deliveries: readonly string[],
  { isAgain = false, age = 0, endpoint = 'one', version = 1, batch = 0, from = 'holder' } = {},
) {
  const attempts = deliveries.map((deliveryId, id) => {
    const ticket: Ticket = ticketOf(engineEndpoint(endpoint), deliveryId);
    return { id, ticket, version };
  });
  const fate: string[] = [];
  const data = writeHanded(from, batch, systemClock.now() - age, attempts);
  const words = { done: () => void fate.push('done'), working: () => void fate.push('working') };
  return { fate, job: { data, isAgain, ...words, giveBack: () => void fate.push('back') } };
}

test('a fresh message is begun at once; its outcomes go to the holder, and it is done when the holder says so', async () => {
  const { takeOn, started, ends, brought, asked } = given();
  const { job: one, fate } = job(['a', 'b']);
  await takeOn.take(one);
  await until('both are begun', () => started.length === 2);
  assert.deepEqual(asked, []);
  for (const end of ends) end();
  await until('both are told', () => brought.length === 2);
  assert.equal(asked.length, 1, 'what ends together is told together');
  assert.deepEqual(fate, []);
  takeOn.written('holder', [0]);
  assert.deepEqual(fate, ['done']);
});

test('given out before, old or of a holder that is not known: only what is still wanted is begun', async () => {
  for (const how of [{ isAgain: true }, { age: 5000 }, { age: -5000 }, {}]) {
    const { takeOn, started, state } = given();
    state.holderIsKnown = Object.keys(how).length > 0;
    state.wanted = [[1]];
    const { job: one, fate } = job(['a', 'b'], how);
    await takeOn.take(one);
    await until('it is begun', () => started.length > 0);
    assert.deepEqual(started, ['b']);
    assert.deepEqual(fate, ['working']);
  }
});

test('nothing is begun of what no holder knows, and of what another has or only waits for its rows', async () => {
  const cases: [Wanted | 'gone' | 'mute', string[]][] = [
    [[null], ['done']],
    // It may be connecting anew.
    ['gone', ['back']],
    [[[]], ['back']],
    ['mute', ['working', 'working', 'working', 'back']],
  ];
  for (const [wanted, expected] of cases) {
    const { takeOn, started, state } = given();
    state.wanted = wanted;
    const { job: one, fate } = job(['a'], { isAgain: true });
    await takeOn.take(one);
    await takeOn.drain(1000);
    assert.deepEqual(started, []);
    assert.deepEqual(fate, expected);
  }
});

test('a holder that nobody is there for during ten seconds has ended', async (t) => {
  const { takeOn, state } = given();
  state.wanted = 'gone';
  const { job: one, fate } = job(['a'], { isAgain: true });
  await takeOn.take(one);
  await takeOn.drain(1000);
  const later = performance.now() + 11_000;
  t.mock.method(performance, 'now', () => later);
  await takeOn.take(one);
  await takeOn.drain(1000);
  assert.deepEqual(fate, ['back', 'done']);
});

test('a message of its own is not made for another', async () => {
  const { takeOn, started, owned } = given();
  const { job: one, fate } = job(['a'], { from: 'worker', batch: 5 });
  await takeOn.take(one);
  assert.deepEqual({ started, owned, fate }, { started: [], owned: [5], fate: ['done'] });
  await takeOn.take(one);
  assert.deepEqual(fate, ['done', 'back'], 'another has it, or is to have it');
});

test('an endpoint of a newer version is read first; one that is not there is given back to the holder', async () => {
  const { takeOn, started, state, back } = given({ known: ['one'] });
  await takeOn.take(job(['a'], { version: 2 }).job);
  await until('it is begun', () => started.length === 1);
  assert.equal(state.refreshed, 0);
  await takeOn.take(job(['b'], { version: 3, batch: 1 }).job);
  await until('it is begun', () => started.length === 2);
  assert.equal(state.refreshed, 1);
  await takeOn.take(job(['c'], { endpoint: 'deleted', batch: 2 }).job);
  await until('it is back', () => back.length === 1);
});

test('a full worker takes no more until something ends', async () => {
  const { takeOn, ends } = given({ slots: 2 });
  let taken = false;
  await takeOn.take(job(['a', 'b']).job);
  await until('both are begun', () => ends.length === 2);
  const taking = takeOn.take(job([], { batch: 1 }).job).then(() => (taken = true));
  await new Promise((done) => setTimeout(done, 120));
  assert.equal(taken, false);
  ends[0]?.();
  await taking;
});

test('what is under way for long is spoken of, and dropped when its holder does not know it any more', async (t) => {
  const { takeOn, state } = given();
  const { job: one, fate } = job(['a']);
  await takeOn.take(one);
  await takeOn.sweep();
  assert.deepEqual(fate, [], 'not yet long');
  const later = performance.now() + 2000;
  t.mock.method(performance, 'now', () => later);
  state.wanted = [[0]];
  await takeOn.sweep();
  state.wanted = 'mute';
  await takeOn.sweep();
  assert.deepEqual(fate, ['working', 'working']);
  state.wanted = [null];
  await takeOn.sweep();
  assert.deepEqual(fate, ['working', 'working', 'working', 'done']);
});

test('a message that comes again to the one that has it is not begun again', async () => {
  const { takeOn, started } = given();
  await takeOn.take(job(['a']).job);
  await until('it is begun', () => started.length === 1);
  const again = job(['a'], { isAgain: true });
  await takeOn.take(again.job);
  assert.deepEqual(started, ['a']);
  takeOn.written('holder', [0]);
  assert.deepEqual(again.fate, ['done']);
});

test('no message of ours is done away with; one of another version is left to whoever knows it', async () => {
  for (const [text, expected] of [
    ['no JSON', 'done'],
    ['{}', 'done'],
    [`{"v":${VERSION}}`, 'done'],
    [`{"v":${VERSION - 1}}`, 'back'],
    [`{"v":${VERSION + 1}}`, 'back'],
  ] as const) {
    const { takeOn } = given();
    const { job: one, fate } = job([]);
    await takeOn.take({ ...one, data: Buffer.from(text) });
    assert.deepEqual(fate, [expected], text);
  }
});

test('draining waits for what is under way and for its holder to hear of it, but not for ever', async () => {
  const { takeOn, ends, brought } = given();
  await takeOn.drain(0);
  await takeOn.take(job(['a', 'b']).job);
  await until('both are begun', () => takeOn.inFlight === 2);
  await takeOn.drain(20);
  assert.equal(takeOn.inFlight, 2);
  const drained = takeOn.drain(10_000);
  for (const end of ends) end();
  await drained;
  assert.deepEqual(brought, [0, 1]);
});
