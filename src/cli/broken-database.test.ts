import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childFlags } from '../../test/helpers/child-env.ts';
import { cleanup } from '../../test/helpers/cleanup.ts';
import { type Ran, Running, Shell } from '../../test/helpers/cli.ts';
import { openPglite } from '../platform/db/index.ts';

const MIGRATE = fileURLToPath(new URL('../app/migrate.ts', import.meta.url));
const WHY = /cannot use the embedded database in .*: it ended by itself; is the disk full, /;

/**
 * A data folder as a kill -9 leaves it, in which the database can read its log again but not write what comes of it, as on a full disk: the
 * file that it writes then, and removes before, is a folder.
 */
async function brokenFolder(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'posthorn-full-'));
  cleanup(() => rm(place, { recursive: true, force: true }));
  const [killed, broken] = [join(place, 'killed'), join(place, 'broken')];
  const database = await openPglite(killed);
  await cp(join(killed, 'pglite'), join(broken, 'pglite'), { recursive: true });
  await database.close();
  await mkdir(join(broken, 'pglite', 'pg_logical', 'replorigin_checkpoint.tmp'));
  // The timer that it leaves, which else is one of ten seconds that may be set again.
  await appendFile(join(broken, 'pglite', 'postgresql.conf'), "log_startup_progress_interval = '1h'\n");
  return broken;
}

/** They would run for ever where they wait for what such a database leaves behind. */
describe('with an embedded database that ends while it is opened', { timeout: 120_000 }, () => {
  let shell: Shell;
  before(async () => {
    shell = new Shell({ POSTHORN_DATA_DIR: await brokenFolder() });
  });

  test('doctor says so, and ends', async () => {
    const { code, out } = await shell.run('doctor', '--url', 'http://127.0.0.1:1');
    assert.equal(code, 1, out);
    assert.match(out, WHY);
    assert.match(out, /\n\d ok, \d to look at, 1 failed\n$/);
  });

  test('audit verify says so, and ends', async () => {
    const { code, err } = await shell.run('audit', 'verify');
    assert.equal(code, 2, err);
    assert.match(err, WHY);
  });

  test('a migration says so, and ends', async () => {
    const child = spawn(process.execPath, [...childFlags, MIGRATE], { env: shell.env, stdio: 'pipe' });
    cleanup(async () => void child.kill('SIGKILL'));
    const { code, err }: Ran = await new Running(child).ended();
    assert.equal(code, 1, err);
    assert.match(err, /^The schema was not changed: /);
    assert.match(err, WHY);
  });
});
