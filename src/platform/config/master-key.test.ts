import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { findMasterKey, masterKeyOf } from './master-key.ts';

const dir = await mkdtemp(join(tmpdir(), 'posthorn-key-'));
cleanup(() => rm(dir, { recursive: true, force: true }));
const folder = (name: string) => ({ POSTHORN_MASTER_KEY: undefined, POSTHORN_DATA_DIR: join(dir, name) });

test('a key is made once, for this user alone, also where an earlier start broke off', async () => {
  const settings = folder('new');
  assert.equal(await findMasterKey(settings), null);
  await mkdir(settings.POSTHORN_DATA_DIR);
  await writeFile(join(settings.POSTHORN_DATA_DIR, 'master.key.new'), '');
  const made = await masterKeyOf(settings);
  assert.equal(made.length, 32);
  assert.deepEqual(await masterKeyOf(settings), made);
  assert.deepEqual(await findMasterKey(settings), made);
  assert.deepEqual(await readdir(settings.POSTHORN_DATA_DIR), ['master.key']);
  assert.equal((await stat(join(settings.POSTHORN_DATA_DIR, 'master.key'))).mode & 0o077, 0);
});

test('a key that could not be written leaves none behind, so that the next start makes one', async () => {
  const settings = folder('broken-off');
  const inTheWay = join(settings.POSTHORN_DATA_DIR, 'master.key.new');
  await mkdir(inTheWay, { recursive: true });
  await assert.rejects(masterKeyOf(settings));
  assert.equal(existsSync(join(settings.POSTHORN_DATA_DIR, 'master.key')), false);
  await rm(inTheWay, { recursive: true });
  assert.equal((await masterKeyOf(settings)).length, 32);
});

test('a file that holds no key, or cannot be read, is named, and not replaced', async () => {
  const settings = folder('damaged');
  await mkdir(settings.POSTHORN_DATA_DIR);
  const file = join(settings.POSTHORN_DATA_DIR, 'master.key');
  for (const content of ['', 'c2hvcnQ=\n']) {
    await writeFile(file, content);
    await assert.rejects(masterKeyOf(settings), (error: Error) => {
      assert.ok(error.message.startsWith(`${file} does not hold the master key`), error.message);
      return error.message.includes('restore it from a backup') && !error.message.includes('c2hvcnQ=');
    });
  }
  await rm(file);
  await mkdir(file);
  await assert.rejects(masterKeyOf(settings), /^Error: the master key cannot be read: EISDIR/);
});

test('that of the settings goes before that of the folder', async () => {
  const settings = { ...folder('damaged'), POSTHORN_MASTER_KEY: Buffer.alloc(32, 'k').toString('base64') };
  assert.deepEqual(await masterKeyOf(settings), Buffer.alloc(32, 'k'));
});
