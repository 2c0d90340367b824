import assert from 'node:assert/strict';
import { test } from 'node:test';
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

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

test('a cursor that passed what is for nobody is written once for many times, after a while', async () => {
  const { recorder: r, inserts } = recorder();
  for (let i = 0; i < 20; i++) {
    r.passed();
    await pause(2);
  }
  assert.deepEqual(inserts, []);
  await pause(200);
  assert.deepEqual(inserts, [0]);
});

test('a write takes the cursor along, so that it is not written again', async () => {
  const { recorder: r, inserts } = recorder();
  r.passed();
  r.touch();
  await pause(400);
  assert.deepEqual(inserts, [0]);
});

test('draining writes it at once; after giving up nothing is written any more', async () => {
  const { recorder: r, inserts } = recorder();
  r.passed();
  await r.drain();
  assert.deepEqual(inserts, [0]);
  r.passed();
  r.abandon();
  await pause(350);
  assert.deepEqual(inserts, [0]);
});
