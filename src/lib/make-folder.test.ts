import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeFolder } from './make-folder.ts';

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'posthorn-folder-'));
});
after(() => rm(dir, { recursive: true, force: true }));

test('a folder and those above it, for this user alone, and again', async () => {
  const folder = join(dir, 'a', 'b', 'c');
  await makeFolder(folder);
  await makeFolder(folder);
  assert.equal((await stat(folder)).isDirectory(), true);
  if (process.platform !== 'win32') assert.equal((await stat(join(dir, 'a'))).mode & 0o777, 0o700);
});

test('many at once', async () => {
  for (let round = 0; round < 50; round++) {
    const above = join(dir, `x${round}`, 'y');
    await Promise.all(Array.from({ length: 10 }, (_, i) => makeFolder(join(above, String(i % 2)))));
    assert.equal((await stat(join(above, '1'))).isDirectory(), true);
  }
});

test('below a file it is told', async () => {
  const file = join(dir, 'file');
  await writeFile(file, '');
  await assert.rejects(makeFolder(file), { code: 'EEXIST' });
  await assert.rejects(makeFolder(join(file, 'below')), { code: 'ENOTDIR' });
});

test('where the system makes none it ends', {
  skip: process.platform !== 'linux' && 'there is /proc on Linux',
}, async () => {
  await assert.rejects(makeFolder('/proc/none'), { code: 'ENOENT' });
  await assert.rejects(makeFolder('/proc/none/below'), { code: 'ENOENT' });
});
