import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanup } from '../../../../test/helpers/cleanup.ts';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { MASTER_KEY, testService } from '../../../../test/helpers/service.ts';
import { parseConfig } from '../../../platform/config/index.ts';
import type { Finding } from '../finding.ts';
import { checkSecrets } from './check-secrets.ts';

const database = await withDatabase();
const dir = await mkdtemp(join(tmpdir(), 'posthorn-secrets-'));
cleanup(() => rm(dir, { recursive: true, force: true }));

const checked = (env: Record<string, string>): Promise<Finding> =>
  checkSecrets(database.db, parseConfig({ POSTHORN_DATA_DIR: dir, ...env }));
const other = Buffer.alloc(32, 'other').toString('base64');

test('the master key is tried on the secrets in the database', async () => {
  const service = await testService({ database, withoutLoops: true });
  assert.equal((await checked({ POSTHORN_MASTER_KEY: other })).state, 'ok', 'nothing was sealed yet');
  assert.equal((await checked({})).found, `there is none in ${dir} yet; the next start makes it`);
  await service.key(['webhooks:manage'], await service.account());
  const right = await checked({ POSTHORN_MASTER_KEY: MASTER_KEY });
  assert.deepEqual([right.state, right.found], ['ok', 'it fits the database (POSTHORN_MASTER_KEY)']);
  const wrong = await checked({ POSTHORN_MASTER_KEY: other });
  assert.equal(wrong.state, 'fail');
  assert.match(wrong.found, /^it opens none of the last secrets in the database/);
  assert.match(wrong.todo ?? '', /rotate the API keys/);
  const none = await checked({});
  assert.deepEqual(
    [none.state, none.found.startsWith(`there is none in ${dir}, and the database has`)],
    ['fail', true],
  );
  assert.deepEqual(await readdir(dir), [], 'none was made');
  await writeFile(join(dir, 'master.key'), `${MASTER_KEY}\n`);
  assert.equal((await checked({})).found, `it fits the database (${dir})`);
  await writeFile(join(dir, 'master.key'), '');
  const damaged = await checked({});
  assert.equal(damaged.state, 'fail');
  assert.match(damaged.found, /master\.key does not hold the master key/);
});
