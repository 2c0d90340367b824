import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { until } from '../../../../test/helpers/engine.ts';
import { VirtualTime } from '../../../../test/helpers/virtual-time.ts';
import { waiting } from '../engine/attempt.ts';
import { readOutcomes } from '../engine/thread-messages.ts';
import type { AttemptOutcome } from '../engine/types.ts';
import { type Question, readQuestion } from './messages.ts';
import { Outbox } from './outbox.ts';

const logOf = (responseBody: string): string =>
  JSON.stringify({ attempt: 2, at: 'then', durationMs: 3, errorClass: null, errorMessage: null, responseBody });
const delivered = (body = ''): AttemptOutcome => ({
  ...waiting('HELD', 2, 5, null),
  status: 'DELIVERED',
  log: logOf(body),
  durationMs: 3,
});

/** An outbox, and what its holders heard. */
function given(maxBytes = 100_000) {
  const heard: { from: string; ids: number[]; back: number[]; logs: (string | null)[] }[] = [];
  const state = { isMute: false };
  const told: string[] = [];
  const untold: string[] = [];
  const outbox = new Outbox<{ from: string; name: string }>({
    maxBytes: () => maxBytes,
    worker: 'worker',
    async ask(from, data) {
      if (state.isMute) throw new Error('no answer');
      assert.ok(data.length <= maxBytes);
      const question = readQuestion(data) as Question & { kind: 'outcomes' };
      const [ids, logs]: [number[], (string | null)[]] = [[], []];
      readOutcomes(
        question.outcomes,
        () => 2,
        (id, outcome) => {
          ids.push(id);
          logs.push(outcome instanceof Error ? outcome.message : outcome.log);
        },
      );
      heard.push({ from, ids, back: question.back, logs });
      return new Uint8Array();
    },
    told: ({ name }) => void told.push(name),
    untold: ({ name }) => void untold.push(name),
    idle: () => undefined,
    log: pino({ level: 'silent' }),
  });
  return { outbox, heard, told, untold, state };
}

const ofA = { from: 'a', name: 'one' };
const ofB = { from: 'b', name: 'two' };

test('what ends in one turn goes to each holder in one message', async () => {
  const { outbox, heard, told } = given();
  outbox.outcome(ofA, 1, delivered());
  outbox.fault(ofA, 2, 'ours');
  outbox.back(ofA, 3);
  outbox.outcome(ofB, 4, delivered());
  assert.equal(outbox.isEmpty, false);
  await until('all is told', () => outbox.isEmpty);
  assert.deepEqual(heard, [
    { from: 'a', ids: [1, 2], back: [3], logs: [logOf(''), 'ours'] },
    { from: 'b', ids: [4], back: [], logs: [logOf('')] },
  ]);
  assert.deepEqual(told, ['one', 'one', 'one', 'two']);
});

test('what is too long for a message goes in several; of one that is too long by itself the outcome counts', async () => {
  const { outbox, heard } = given(2000);
  for (let id = 0; id < 6; id++) outbox.outcome(ofA, id, delivered('x'.repeat(id === 3 ? 5000 : 700)));
  await until('all is told', () => outbox.isEmpty);
  assert.deepEqual(
    heard.flatMap((h) => h.ids).toSorted((a, b) => a - b),
    [0, 1, 2, 3, 4, 5],
  );
  assert.ok(heard.length >= 3);
  const short = heard.flatMap((h) => h.logs).find((log) => log?.includes('did not fit'));
  assert.match(short ?? '', /"attempt":2,"at":"then","durationMs":3/);
});

test('it is told again until it is heard, and not for ever', async (t) => {
  const time = new VirtualTime(t);
  const { outbox, heard, told, untold, state } = given();
  state.isMute = true;
  outbox.outcome(ofA, 1, delivered());
  await time.pass(10_000, 50);
  state.isMute = false;
  await time.pass(500, 50);
  assert.deepEqual([heard.length, told, untold], [1, ['one'], []]);
  state.isMute = true;
  outbox.outcome(ofB, 2, delivered());
  await time.pass(31_000, 50);
  assert.deepEqual([heard.length, untold], [1, ['two']]);
  assert.equal(outbox.isEmpty, true);
});
