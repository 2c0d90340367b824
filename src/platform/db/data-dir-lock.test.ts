import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { DataDirInUseError, lockDataDir } from './data-dir-lock.ts';

const HOLDER = fileURLToPath(new URL('../../../test/helpers/hold-data-dir.ts', import.meta.url));

async function newDir(...more: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'posthorn-lock-'));
  cleanup(() => rm(root, { recursive: true, force: true }));
  const dir = join(root, ...more);
  await mkdir(dir, { recursive: true });
  return dir;
}

/** Another process that takes the folder; its first line says how that went. */
async function otherProcess(dir: string): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [HOLDER, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup(() => child.kill('SIGKILL'));
  const failed = once(child, 'exit').then(([code]) => [`ended with ${code} without a word`]);
  const [said] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
  return { child, said };
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

test('a second process is refused in words that say what to do', async () => {
  const dir = await newDir();
  assert.equal((await otherProcess(dir)).said, 'held');
  const { said } = await otherProcess(dir);
  assert.match(said, /^DataDirInUseError: the data folder .* is in use by another Posthorn process/);
  assert.ok(said.includes(dir));
  assert.match(said, /POSTHORN_DATA_DIR.*DATABASE_URL/);
  await assert.rejects(lockDataDir(dir), DataDirInUseError);
});

test('a second time in one process is refused, and after the release it is free', async () => {
  const dir = await newDir();
  const release = await lockDataDir(dir);
  await assert.rejects(lockDataDir(dir), DataDirInUseError);
  await release();
  await (await lockDataDir(dir))();
});

test('what a killed process left behind is taken over', async () => {
  const dir = await newDir();
  const { child } = await otherProcess(dir);
  await killed(child);
  assert.ok(existsSync(join(dir, 'lock.sock')), 'the test has lost its point: kill -9 leaves no socket');
  const release = await lockDataDir(dir);
  assert.match((await otherProcess(dir)).said, /^DataDirInUseError/);
  await release();
});

test('of many that start over a dead one, one gets it', async () => {
  const dir = await newDir();
  await killed((await otherProcess(dir)).child);
  const said = (await Promise.all(Array.from({ length: 6 }, () => otherProcess(dir)))).map((p) => p.said.split(':')[0]);
  assert.deepEqual(
    said.toSorted((a, b) => (a ?? '').localeCompare(b ?? '')),
    [...Array.from({ length: 5 }, () => 'DataDirInUseError'), 'held'],
  );
});

test('a folder with a long path is held like any other', async () => {
  const dir = await newDir('d'.repeat(120), 'e'.repeat(60));
  assert.equal((await otherProcess(dir)).said, 'held');
  await assert.rejects(lockDataDir(dir), DataDirInUseError);
});

test('two folders do not know each other', async () => {
  const release = await lockDataDir(await newDir());
  await (await lockDataDir(await newDir()))();
  await release();
});
