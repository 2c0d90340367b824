import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from '../../test/helpers/child-env.ts';
import { isStartedByNpm } from '../platform/config/index.ts';

const MODULE = fileURLToPath(new URL('./end-with-npm.ts', import.meta.url));
/** A program that says who it is, and goes on until a signal ends it. */
const PROGRAM = `
  const { endWithNpm } = await import(${JSON.stringify(MODULE)});
  process.on('SIGTERM', () => (console.log('asked to stop'), process.exit()));
  endWithNpm();
  setInterval(() => undefined, 60_000);
  console.log(process.pid);`;

/** How npm runs a script: by a shell that waits for it, of which nothing else is known than its command line. */
const SHELL = ['sh', '-c', '"$@"; exit', 'sh'];
const isLinux = process.platform === 'linux';

for (const [what, shells, skip] of [
  ['the shell of npm', SHELL, process.platform === 'win32'],
  ['npm, and not its shell', [...SHELL, ...SHELL], !isLinux && 'the npm behind a shell is known on Linux'],
] as const) {
  test(`a service of npm stops when what is killed is ${what}`, { timeout: 30_000, skip }, async () => {
    const [command, ...args] = [...shells, process.execPath, ...childFlags, '-e', PROGRAM];
    const started = spawn(command, args, {
      env: { ...childEnv, npm_lifecycle_event: 'start', npm_package_name: 'posthorn' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface(started.stdout);
    const said: string[] = [];
    lines.on('line', (line) => said.push(line));
    // The pipe is closed by its last holder, which is the program.
    const ended = once(lines, 'close');
    await once(lines, 'line');
    started.kill('SIGKILL');
    await ended;
    assert.deepEqual(said.slice(1), ['asked to stop']);
  });
}

test('by npm is what npm says of this package', () => {
  const started = { npm_lifecycle_event: 'start', npm_package_name: 'posthorn' };
  assert.equal(isStartedByNpm(started), true);
  assert.equal(isStartedByNpm({}), false);
  assert.equal(isStartedByNpm({ ...started, npm_package_name: 'shop' }), false, 'started by the program of another');
  assert.equal(isStartedByNpm({ ...started, npm_lifecycle_event: 'dev' }), false);
});
