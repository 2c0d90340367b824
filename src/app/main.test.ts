import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from '../../test/helpers/child-env.ts';
import { cleanup } from '../../test/helpers/cleanup.ts';

const MIGRATE = fileURLToPath(new URL('./migrate.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

test('a command line that is wrong ends with what is wrong and the usage, and no stack', () => {
  for (const [args, says] of [
    [['--bogus'], "Unknown option '--bogus'\n"],
    [['--role'], "Option '--role <value>' argument missing\n"],
    [['worker'], "Unexpected argument 'worker'. "],
    [['--role', 'apo'], 'There is no role "apo": it is all, api or worker\n'],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...childFlags, MAIN, ...args], {
      env: childEnv,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout, stderr.startsWith(says)], [2, '', true], stderr);
    assert.match(stderr, /\n\nusage: npm start .*\n\nStarts Posthorn\. .*\n$/);
  }
});

for (const [what, file, env, code, says] of [
  ['a start', MAIN, {}, 0, /"signal":"SIGTERM","msg":"asked to stop before it was started: ending"/],
  [
    'of several processes a start',
    MAIN,
    { WEB_CONCURRENCY: '2' },
    0,
    /"signal":"SIGTERM","msg":"stopping".*"stopped"/s,
  ],
  ['a migration', MIGRATE, {}, 1, /^Stopped by SIGTERM: run it again for the rest/m],
] as const) {
  // By itself: as the first process of a container nothing ends that does not listen to the signal.
  test(`${what} that waits for its database is ended by a signal, and says so`, async () => {
    const silent = createServer();
    const asked = once(silent, 'connection');
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    cleanup(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const settings = {
      DATABASE_URL: `postgres://posthorn@127.0.0.1:${port}/posthorn`,
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
      PORT: '0',
    };
    const child = spawn(process.execPath, [...childFlags, file], { env: { ...childEnv, ...settings, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    await asked;
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'close'), [code, null], output);
    assert.match(output, says);
  });
}
