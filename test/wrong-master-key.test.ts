import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../src/platform/log/log.ts';
import { withDatabase } from './helpers/database.ts';
import { testService } from './helpers/service.ts';

test('a node with another master key says so, until a key is sealed by it', async () => {
  const database = await withDatabase();
  const right = await testService({ database, withoutLoops: true });
  const account = await right.account();
  const { id } = await right.key(['webhooks:manage'], account);
  const startWrong = async () => {
    let text = '';
    const log = createLog('error', { write: (line: string) => (text += line) });
    const env = { POSTHORN_MASTER_KEY: Buffer.alloc(32, 'other').toString('base64') };
    const node = await testService({ database, env, log });
    return { node, text };
  };
  const wrong = await startWrong();
  assert.match(wrong.text, /POSTHORN_MASTER_KEY opens none/);
  const operator = await wrong.node.operatorClient();
  await operator.rotateApiKey({ id, body: {} });
  await wrong.node.service.stop();
  const again = await startWrong();
  assert.equal(again.text, '');
});
