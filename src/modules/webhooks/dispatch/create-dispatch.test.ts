import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import { systemClock } from '../../../lib/clock.ts';
import { createLog } from '../../../platform/log/log.ts';
import type { AttemptOutcome } from '../engine/types.ts';
import { createDispatch, type Dispatch } from './create-dispatch.ts';

const never = new Promise<AttemptOutcome>(() => undefined);

/** Workers of 100 slots that hear each other; what they hand over is taken by nobody. */
function workers(count: number, { isEven = false } = {}) {
  const heard: ((data: Uint8Array) => void)[] = [];
  const busy = Array<boolean>(count).fill(false);
  const dispatches = busy.map((_, n): Dispatch => {
    const queue = {
      isUp: true,
      maxBytes: 100_000,
      put: async () => undefined,
      take: () => undefined,
      stopTaking: async () => undefined,
      ask: () => Promise.reject(new Error('nobody asks')),
      answer: () => undefined,
      tell: (_node: string | null, data: Uint8Array) => heard.forEach((hear) => hear(data)),
      hear: (fn: (data: Uint8Array) => void) => void heard.push(fn),
      close: async () => undefined,
    };
    return createDispatch({
      queue,
      nodeId: `n${n}`,
      clock: systemClock,
      log: createLog('silent'),
      registry: { get: () => undefined, refresh: async () => undefined },
      secretsOf: () => [],
      loadSecrets: async () => undefined,
      here: () => never,
      isBusy: () => busy[n] === true,
      isEven,
      slots: 100,
      stands: () => true,
      share: () => 1 / count,
    });
  });
  const say = async (): Promise<void> => {
    for (const { loop } of dispatches) await loop.step(false);
  };
  /** How many of so many more attempts a worker hands over. */
  const handedOf = async (n: number, attempts: number): Promise<number> => {
    const dispatch = dispatches[n] as Dispatch;
    const before = dispatch.handed;
    const endpoint = engineEndpoint('endpoint');
    for (let i = 0; i < attempts; i++) void dispatch.send(ticketOf(endpoint, `${n} ${i}`), endpoint, []);
    await new Promise(setImmediate);
    return dispatch.handed - before;
  };
  return { busy, say, handedOf };
}

test('two that are full hand each other nothing, and one with room gets what another has not', async () => {
  const { busy, say, handedOf } = workers(2);
  await say();
  busy[0] = true;
  assert.equal(await handedOf(0, 10), 5);
  await say();
  assert.equal(await handedOf(1, 10), 0);
  busy[1] = true;
  assert.equal(await handedOf(1, 10), 0, 'the other has said that it is full');
  await say();
  assert.equal(await handedOf(0, 10), 0);
});

test('a share is of those that have room', async () => {
  const { busy, say, handedOf } = workers(3);
  await say();
  busy.fill(true);
  busy[2] = false;
  await handedOf(1, 1);
  await say();
  assert.equal(await handedOf(0, 30), 15, 'as many as go to the one with room');
});

test('where each makes its share, who is full makes no difference', async () => {
  const { busy, say, handedOf } = workers(2, { isEven: true });
  busy.fill(true);
  await say();
  assert.equal(await handedOf(0, 10), 5);
  await say();
  assert.equal(await handedOf(1, 10), 5);
});
