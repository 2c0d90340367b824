import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Ran, Shell } from '../../../test/helpers/cli.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres } from '../../../test/helpers/database.ts';
import { migratedDataDir } from '../../../test/helpers/embedded.ts';
import { loadMigrations, migrate, openPglite, openPostgres } from '../../platform/db/index.ts';

const folder = await migratedDataDir();

const run = (env: Record<string, string>, ...args: string[]): Promise<Ran> =>
  new Shell(env).run('audit', 'verify', ...args);
const audit = (dataDir: string, ...args: string[]): Promise<Ran> => run({ POSTHORN_DATA_DIR: dataDir }, ...args);

test('posthorn audit verify: 0 for a log as it was, 1 with the seal that does not fit', async () => {
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

test('a seal that is expected is looked for', async () => {
  const { code, out } = await audit(folder, '--expect', `seal 7: ${'0'.repeat(64)}`);
  assert.deepEqual([code, out], [1, 'seal 1 (positions 1 to 10): an event was removed\n'], 'the first difference');
  const empty = await migratedDataDir();
  const missing = await audit(empty, '--expect', `seal 7: ${'0'.repeat(64)}`);
  assert.deepEqual([missing.code, missing.out], [1, 'seal 1 (positions 1 to 1): the seal was removed\n']);
  const { code: wrong, err } = await audit(empty, '--expect', '7');
  assert.equal(wrong, 2);
  assert.match(err, /It is a line like "seal 12: /);
});

test('what cannot be verified is one line and another exit code than a difference', async () => {
  const database = await openPglite(folder);
  const inUse = await audit(folder);
  await database.close();
  assert.deepEqual([inUse.code, inUse.out], [2, '']);
  assert.match(inUse.err, /^posthorn: not verified: .*in use.*\n$/i);
  const nowhere = join(folder, 'nowhere');
  const empty = mkdtempSync(join(tmpdir(), 'posthorn-audit-'));
  cleanup(() => rmSync(empty, { recursive: true, force: true }));
  for (const [told, why] of [
    [await audit(nowhere), /^posthorn: not verified: there is no database in .*nowhere\n$/],
    [await audit(empty), /^posthorn: not verified: there is no database in .*posthorn-audit-\w+\n$/],
    [
      await run({
        DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/none',
        POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      }),
      /^posthorn: not verified: cannot use the database of DATABASE_URL: .*\n$/,
    ],
  ] as const) {
    assert.deepEqual([told.code, told.out], [2, '']);
    assert.match(told.err, why);
  }
  const other = await migratedDataDir();
  const emptied = await openPglite(other);
  await sql`drop table events cascade`.execute(emptied.db);
  await emptied.close();
  const foreign = await audit(other);
  assert.deepEqual([foreign.code, foreign.out], [2, '']);
  assert.equal(
    foreign.err,
    'posthorn: not verified: the database of POSTHORN_DATA_DIR has no tables of Posthorn that its role may see: is it the right one?\n',
  );
  assert.equal(existsSync(nowhere), false);
  assert.deepEqual(readdirSync(empty), [], 'nothing was made');
});

test('a role that may read the tables of the audit trail alone can verify it', onlyPostgres, async () => {
  const role = `posthorn_audits_${randomUUID().slice(0, 8)}`;
  const url = await emptyPostgres();
  const admin = await openPostgres(url, 1);
  await migrate(admin.db, await loadMigrations());
  const rights = 'grant select on events, event_seals, event_readers';
  await sql.raw(`create role ${role} login password 'x'; ${rights} to ${role}`).execute(admin.db);
  const { href } = Object.assign(new URL(url), { username: role, password: 'x' });
  try {
    const told = await run({ DATABASE_URL: href, POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
    assert.deepEqual([told.code, told.err], [0, '']);
  } finally {
    await sql.raw(`drop owned by ${role}; drop role ${role}`).execute(admin.db);
    await admin.close();
  }
});
