import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { onThreadMessage } from './thread-messages.ts';

test("what Node tells of a thread under --watch is none of the thread's messages", async () => {
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
     for (const message of [{ 'watch:import': ['file:///a.ts'] }, 'one', null, { 'watch:require': ['/b.js'] }, { two: 2 }, 'end'])
       parentPort.postMessage(message);`,
    { eval: true },
  );
  const heard: unknown[] = [];
  await new Promise<void>((done) =>
    onThreadMessage(thread, (message) => (message === 'end' ? done() : heard.push(message))),
  );
  assert.deepEqual(heard, ['one', null, { two: 2 }]);
  await thread.terminate();
});
