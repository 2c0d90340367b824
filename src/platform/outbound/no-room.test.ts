import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { childEnv, childFlags } from '../../../test/helpers/child-env.ts';

/** Sends to a receiver of its own while no file can be opened any more, and once more when there is room again. */
const program = (host: string, isKnown: boolean): string => `
  import { closeSync, openSync } from 'node:fs';
  import { createServer } from 'node:http';
  import { createSender, parseTargetUrl } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
  import { startNameServer } from ${JSON.stringify(import.meta.resolve('./test-name-server.ts'))};
  const names = await startNameServer({ after() {} }, { 'receiver.example': ['127.0.0.1'] });
  const policy = {
    allowedTargets: ['127.0.0.0/8'],
    requireHttps: false,
    ...(${isKnown} ? { nameServers: [names.address] } : {}),
  };
  const server = createServer((request, response) => response.end()).listen(0, '127.0.0.1', async () => {
    const { url } = parseTargetUrl('http://${host}:' + server.address().port, policy);
    const sender = createSender(policy);
    const send = () => sender.send({ url, headers: [], body: '{}', deadlineMs: 5000 });
    const opened = [];
    try {
      for (;;) opened.push(openSync('/dev/null'));
    } catch {}
    const first = await send();
    opened.forEach((file) => closeSync(file));
    console.log(JSON.stringify([first, ${isKnown} ? await send() : null]));
    process.exit();
  });`;

describe('a machine without room for another connection is told as that, and not as the receiver', {
  skip: process.platform === 'win32' && 'there is no limit of open files to set',
}, () => {
  const few = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, ...childFlags];
  for (const [what, host, isKnown] of [
    ['a receiver by its address', '127.0.0.1', true],
    ['one by its name, which is asked for ahead of the connection', 'receiver.example', true],
    ['one by a name of the system', 'receiver.invalid', false],
  ] as const)
    test(what, () => {
      const flags = [...few, '--input-type=module', '-e', program(host, isKnown)];
      const said = execFileSync('sh', flags, { env: childEnv, encoding: 'utf8' });
      const [full, later] = JSON.parse(said) as ({ kind: string; message?: string; isOurs?: true } | null)[];
      assert.deepEqual([full?.kind, full?.isOurs], ['failure', true]);
      assert.match(full?.message ?? '', /^this machine has no room for another connection \(EMFILE\): .*ulimit -n/);
      if (isKnown) assert.partialDeepStrictEqual(later, { kind: 'response', status: 200 });
    });
});
