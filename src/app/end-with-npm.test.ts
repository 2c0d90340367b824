import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from '../../test/helpers/child-env.ts';
import { isStartedByNpm } from '../platform/config/index.ts';

const MODULE = fileURLToPath(new URL('./end-with-npm.ts', import.meta.url));
/** A program that says who it is, and goes on until a signal ends it; `more` is what else it does. */
const program = (more: string): string => `
  const { endWithNpm } = await import(${JSON.stringify(MODULE)});
  ${more}
  endWithNpm();
  setInterval(() => undefined, 60_000);
  console.log(process.pid);`;
const ENDING = "process.on('SIGTERM', () => (console.log('asked to stop'), process.exit()));";
/** Ends as the service does: what it has begun takes longer than two looks for npm. */
const FINISHING = "process.on('SIGTERM', () => (console.log('asked to stop'), setTimeout(process.exit, 1200)));";
/** Says whether it goes on after having had no file descriptor left for longer than two looks for npm. */
const WITHOUT_FILES = `
  const { closeSync, openSync } = await import('node:fs');
  process.on('SIGTERM', () => (console.log('asked to stop'), process.exit()));
  setTimeout(() => {
    const opened = [];
    try {
      for (;;) opened.push(openSync('/dev/null'));
    } catch (error) {
      console.log(error.code);
    }
    setTimeout(() => {
      opened.forEach((file) => closeSync(file));
      console.log('goes on');
      process.exit();
    }, 1200);
  }, 100);`;

/** How npm runs a script: by a shell that waits for it, of which nothing else is known than its command line. */
const SHELL = ['sh', '-c', '"$@"; exit', 'sh'] as const;
const isLinux = process.platform === 'linux';
const isWindows = process.platform === 'win32';

/** What such a program says behind who it is, until it ends; `end` is given the process that was started, and then the program. */
async function said(
  shells: readonly [string, ...string[]],
  more: string,
  end: (started: ChildProcess, program: number) => void,
): Promise<string[]> {
  const [command, ...args] = shells;
  const started = spawn(command, [...args, process.execPath, ...childFlags, '-e', program(more)], {
    env: { ...childEnv, npm_lifecycle_event: 'start', npm_package_name: 'posthorn' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface(started.stdout);
  const told: string[] = [];
  lines.on('line', (line) => told.push(line));
  // The pipe is closed by its last holder, which is the program.
  const ended = once(lines, 'close');
  await once(lines, 'line');
  end(started, Number(told[0]));
  await ended;
  return told.slice(1);
}

for (const [what, shells, skip] of [
  ['the shell of npm', SHELL, isWindows],
  ['npm, and not its shell', [...SHELL, ...SHELL], !isLinux && 'the npm behind a shell is known on Linux'],
] as const) {
  test(`a service of npm stops when what is killed is ${what}`, { timeout: 30_000, skip }, async () => {
    assert.deepEqual(await said(shells, ENDING, (started) => started.kill('SIGKILL')), ['asked to stop']);
  });
}

test('a signal to npm and all that it started is one wish to stop', { timeout: 30_000, skip: isWindows }, async () => {
  const toGroup = ({ pid = 0 }: ChildProcess): unknown => process.kill(-pid, 'SIGTERM');
  assert.deepEqual(await said([...SHELL, ...SHELL], FINISHING, toGroup), ['asked to stop']);
});

test('a service of npm goes on when no file can be opened for a while', {
  timeout: 30_000,
  skip: !isLinux,
}, async () => {
  const few = ['sh', '-c', 'ulimit -n 64; "$@"; exit', 'sh'] as const;
  assert.deepEqual(await said([...SHELL, ...few], WITHOUT_FILES, () => undefined), ['EMFILE', 'goes on']);
});

test('a service of npm that only starts is ended by a signal as any program', {
  timeout: 30_000,
  skip: isWindows,
}, async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    assert.deepEqual(await said(SHELL, '', (_, program) => process.kill(program, signal)), []);
  }
});

test('by npm is what npm says of this package', () => {
  const started = { npm_lifecycle_event: 'start', npm_package_name: 'posthorn' };
  assert.equal(isStartedByNpm(started), true);
  assert.equal(isStartedByNpm({}), false);
  assert.equal(isStartedByNpm({ ...started, npm_package_name: 'shop' }), false, 'started by the program of another');
  assert.equal(isStartedByNpm({ ...started, npm_lifecycle_event: 'dev' }), false);
});
