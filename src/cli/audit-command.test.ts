import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { loadMigrations, migrate, openPglite } from '../platform/db/index.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'posthorn-audit-'));
after(() => rm(folder, { recursive: true, force: true }));

async function audit(dataDir: string): Promise<{ code: unknown; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, 'audit', 'verify'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { POSTHORN_DATA_DIR: dataDir },
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

test('posthorn audit verify: 0 for a log as it was, 1 with the seal that does not fit', async () => {
  const database = await openPglite(folder);
  await migrate(database.db, await loadMigrations());
  await database.close();
  const untouched = await audit(folder);
  assert.deepEqual([untouched.code, untouched.err], [0, '']);
  assert.match(
    untouched.out,
    /^0 events under 0 seals are as they were, up to position 0\n0 events are not sealed yet\n$/,
  );
  const again = await openPglite(folder);
  await sql`insert into event_seals values (1, 1, 10, 10, 'hash', now())`.execute(again.db);
  await again.close();
  const { code, out } = await audit(folder);
  assert.deepEqual([code, out], [1, 'seal 1 (positions 1 to 10): an event was removed\n']);
});

test('a database that cannot be opened is one line and exit code 1', async () => {
  const database = await openPglite(folder);
  const { code, out, err } = await audit(folder);
  await database.close();
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^posthorn: .*in use.*\n$/i);
});
