import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../lib/clock.ts';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { createLog } from '../../../platform/log/log.ts';
import { ticketLife } from './ticket-life.ts';
import type { Result } from './types.ts';

const MINUTE = 60_000;

/** What becomes of a ticket with so many faults when our own code fails on its attempt, and on that of so many like it. */
async function failing(faults: number, status: 'ACTIVE' | 'PAUSED' = 'ACTIVE', times = 1) {
  const clock = new ManualClock(1000);
  const said: string[] = [];
  const results: Result[] = [];
  let failures = 0;
  const endpoint = engineEndpoint('endpoint');
  const live = ticketLife({
    clock,
    log: createLog('error', { write: (line: string) => void said.push(line) }),
    registry: { get: () => endpoint },
    send: () => {
      endpoint.status = status;
      return Promise.reject(new Error('broken'));
    },
    secretsOf: () => [{ keyId: 'k', secret: 's' } as never],
    loadedSecrets: async () => [],
    holds: () => true,
    maySend: () => true,
    failedByUs: () => failures++,
    dropped: () => assert.fail('it has an outcome'),
    finish: (result) => void results.push(result),
  });
  for (let i = 0; i < times; i++) assert.equal(await live({ ...ticketOf(endpoint, 'd'), attempt: 2, faults }), 'none');
  assert.equal(failures, times);
  const [{ status: now, attempts, nextAttemptAt, errorClass }] = results as [Result];
  const waits = nextAttemptAt === null ? null : (nextAttemptAt - clock.now()) / MINUTE;
  const isTold = said.some((line) => line.includes('dead letters'));
  return { outcome: [now, attempts, waits, errorClass], isTold, said };
}

test('a fault of ours costs no attempt and puts off for longer each time; two days of them make a dead letter, which is told', async () => {
  assert.partialDeepStrictEqual(await failing(0), { outcome: ['PENDING', 1, 1, 'INTERNAL'], isTold: false });
  assert.partialDeepStrictEqual(await failing(3), { outcome: ['PENDING', 1, 8, 'INTERNAL'], isTold: false });
  assert.partialDeepStrictEqual(await failing(52), { outcome: ['PENDING', 1, 60, 'INTERNAL'], isTold: false });
  assert.partialDeepStrictEqual(await failing(53), { outcome: ['DEAD', 1, null, 'INTERNAL'], isTold: true });
});

test('what is paused meanwhile is held, whatever failed', async () => {
  assert.partialDeepStrictEqual(await failing(0, 'PAUSED'), { outcome: ['HELD', 1, null, 'INTERNAL'], isTold: false });
});

test('the same fault is told once, however many attempts fail by it at once', async () => {
  const { said } = await failing(0, 'ACTIVE', 1000);
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /"message":"broken".*an attempt failed by a fault of ours; it does not count/);
});
