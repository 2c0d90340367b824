import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from '../../test/helpers/child-env.ts';

const MODULE = fileURLToPath(new URL('./stop-wishes.ts', import.meta.url));
/** Says what each signal is. */
const PROGRAM = `
  const { StopWishes } = await import(${JSON.stringify(MODULE)});
  const wishes = new StopWishes();
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => console.log(wishes.hear()));
  setInterval(() => undefined, 60_000);
  console.log(process.pid);`;
/** As npm is to a program that it started without a shell between them: each signal that it gets goes on to that, late enough not to be one with the group's. */
const PASSING_ON = `
  const { spawn } = require('node:child_process');
  const [program, ...args] = process.argv.slice(1);
  const child = spawn(program, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => setTimeout(() => child.kill(signal), 100));`;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** What such a program says of signals to all of its group, so many milliseconds apart. */
async function said(byNpm: boolean, signals: readonly NodeJS.Signals[], apartMs: number): Promise<string[]> {
  const program = [process.execPath, ...childFlags, '-e', PROGRAM];
  const group = spawn(process.execPath, ['-e', PASSING_ON, '--', ...program], {
    env: { ...childEnv, ...(byNpm ? { npm_lifecycle_event: 'start', npm_package_name: 'posthorn' } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface(group.stdout);
  const told: string[] = [];
  lines.on('line', (line) => told.push(line));
  await once(lines, 'line');
  for (const signal of signals) {
    process.kill(-(group.pid ?? 0), signal);
    await pause(apartMs);
  }
  const ended = once(lines, 'close');
  process.kill(-(group.pid ?? 0), 'SIGKILL');
  await ended;
  return told.slice(1);
}

const skip = process.platform === 'win32';

test('a signal that npm passes on to its service is no second wish, and one that comes later is', {
  timeout: 30_000,
  skip,
}, async () => {
  assert.deepEqual((await said(true, ['SIGTERM', 'SIGINT'], 1300)).slice(0, 3), ['first', 'again', 'second']);
});

test('without npm the second signal is a second wish, however soon', { timeout: 30_000, skip }, async () => {
  assert.deepEqual((await said(false, ['SIGINT'], 1300)).slice(0, 2), ['first', 'second']);
});
