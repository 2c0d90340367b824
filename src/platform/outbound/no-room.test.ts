import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { childEnv, childFlags } from '../../../test/helpers/child-env.ts';

/** Sends to a receiver of its own while no file can be opened any more, and once more when there is room again. */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs';
  import { createServer } from 'node:http';
  import { createSender, parseTargetUrl } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
  const policy = { allowedTargets: ['127.0.0.0/8'], requireHttps: false };
  const server = createServer((request, response) => response.end()).listen(0, '127.0.0.1', async () => {
    const { url } = parseTargetUrl('http://127.0.0.1:' + server.address().port, policy);
    const sender = createSender(policy);
    const send = () => sender.send({ url, headers: [], body: '{}', deadlineMs: 5000 });
    const opened = [];
    try {
      for (;;) opened.push(openSync('/dev/null'));
    } catch {}
    const first = await send();
    opened.forEach((file) => closeSync(file));
    console.log(JSON.stringify([first, await send()]));
    process.exit();
  });`;

test('a machine without room for another connection is told as that, and not as the receiver', {
  skip: process.platform === 'win32' && 'there is no limit of open files to set',
}, () => {
  const few = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, ...childFlags];
  const said = execFileSync('sh', [...few, '--input-type=module', '-e', PROGRAM], { env: childEnv, encoding: 'utf8' });
  const [full, later] = JSON.parse(said) as { kind: string; message?: string; isOurs?: true; status?: number }[];
  assert.deepEqual([full?.kind, full?.isOurs], ['failure', true]);
  assert.match(full?.message ?? '', /^this machine has no room for another connection \(EMFILE\): .*ulimit -n/);
  assert.deepEqual([later?.kind, later?.status], ['response', 200]);
});
