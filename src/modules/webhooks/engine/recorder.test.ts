import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '../../../platform/log/log.ts';
import { Recorder } from './recorder.ts';

/** A recorder with what it wrote. */
function recorder(): { recorder: Recorder; inserts: number[] } {
  const inserts: number[] = [];
  const made = new Recorder({
    insert: async (results) => void inserts.push(results.length),
    update: async () => undefined,
    written: () => undefined,
    share: () => 1,
    log: createLog('silent'),
  });
  return { recorder: made, inserts };
}

/** Lets so many milliseconds pass, one by one, with a turn of the event loop after each. */
async function pass({ mock }: TestContext, ms: number): Promise<void> {
  for (let i = 0; i < ms; i++) {
    mock.timers.tick(1);
    await turn();
  }
}

test('a cursor that passed what is for nobody is written once for many times, after a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { recorder: r, inserts } = recorder();
  for (let i = 0; i < 20; i++) {
    r.passed();
    await pass(t, 4);
  }
  assert.deepEqual(inserts, []);
  await pass(t, 100);
  assert.deepEqual(inserts, [0]);
});

test('a write takes the cursor along, so that it is not written again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { recorder: r, inserts } = recorder();
  r.passed();
  r.touch();
  await pass(t, 400);
  assert.deepEqual(inserts, [0]);
});

test('draining writes it at once; after giving up nothing is written any more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { recorder: r, inserts } = recorder();
  r.passed();
  await r.drain();
  assert.deepEqual(inserts, [0]);
  r.passed();
  r.abandon();
  await pass(t, 400);
  assert.deepEqual(inserts, [0]);
});
