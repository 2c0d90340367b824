import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../src/platform/log/log.ts';
import { withDatabase } from './helpers/database.ts';
import { testService } from './helpers/service.ts';

test('a node with another master key sends nothing, says so, and works once a key is sealed by it', async () => {
  const database = await withDatabase();
  const right = await testService({ database, withoutLoops: true });
  const account = await right.account();
  const { id } = await right.key(['webhooks:manage'], account);
  const startWrong = async () => {
    let text = '';
    const log = createLog('error', { write: (line: string) => (text += line) });
    const env = { POSTHORN_MASTER_KEY: Buffer.alloc(32, 'other').toString('base64') };
    const node = await testService({ database, env, log });
    const loops = await node.service.modules.accounts.opensSecrets();
    return { node, loops, text };
  };
  const wrong = await startWrong();
  assert.equal(wrong.loops, false);
  assert.match(wrong.text, /POSTHORN_MASTER_KEY opens none/);
  const operator = await wrong.node.operatorClient();
  await operator.rotateApiKey({ id, body: {} });
  await wrong.node.service.stop();
  const again = await startWrong();
  assert.deepEqual([again.loops, again.text], [true, '']);
});
