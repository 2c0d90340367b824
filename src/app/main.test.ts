import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from '../../test/helpers/child-env.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

test('a command line that is wrong ends with what is wrong and the usage, and no stack', () => {
  for (const [args, says] of [
    [['--bogus'], "Unknown option '--bogus'\n"],
    [['--role'], "Option '--role <value>' argument missing\n"],
    [['worker'], "Unexpected argument 'worker'. "],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...childFlags, MAIN, ...args], {
      env: childEnv,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout, stderr.startsWith(says)], [2, '', true], stderr);
    assert.match(stderr, /\n\nusage: npm start .*\n\nStarts Posthorn\. .*\n$/);
  }
});
