import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv } from '../../test/helpers/child-env.ts';

const BIN = fileURLToPath(new URL('./posthorn.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'posthorn-bin-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, ...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; out: string; err: string }>();
  const env = { ...childEnv, HOME: folder, XDG_CONFIG_HOME: folder };
  execFile(program, args, { env }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err }));
  return promise;
}

/** The bin as an older Node sees it, in an installation with or without a Node of its own. */
function installed(name: string, withNode: boolean): string {
  const bin = join(folder, name, 'src/cli/posthorn.mjs');
  mkdirSync(dirname(bin), { recursive: true });
  copyFileSync(BIN, bin);
  writeFileSync(
    join(dirname(bin), 'main.ts'),
    'const told: string[] = process.argv.slice(2);\nconsole.log(told.join());\nprocess.exitCode = 7;\n',
  );
  if (withNode) {
    mkdirSync(join(folder, name, 'node_modules/.bin'), { recursive: true });
    symlinkSync(process.execPath, join(folder, name, 'node_modules/.bin/node'));
  }
  writeFileSync(
    join(folder, 'old.mjs'),
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });\n",
  );
  return bin;
}
const onOldNode = (bin: string, ...args: string[]) =>
  run(process.execPath, '--import', join(folder, 'old.mjs'), bin, ...args);

describe('the bin', () => {
  test('runs by itself, also through a link, as npm makes one', async () => {
    const link = join(folder, 'posthorn');
    symlinkSync(BIN, link);
    assert.deepEqual(await run(link, '--version'), { code: 0, out: '0.1.0\n', err: '' });
  });

  test('on an older Node starts the one of the installation, with all that was given', async () => {
    assert.deepEqual(await onOldNode(installed('with', true), 'posts', 'a b'), {
      code: 7,
      out: 'posts,a b\n',
      err: '',
    });
  });

  test('says so when that one cannot be started', async () => {
    const bin = installed('broken', false);
    const node = join(folder, 'broken', 'node_modules/.bin/node');
    mkdirSync(dirname(node), { recursive: true });
    writeFileSync(node, 'not a program', { mode: 0o644 });
    const { code, out, err } = await onOldNode(bin);
    assert.deepEqual([code, out, err], [1, '', `posthorn: cannot start ${node}: spawn ${node} EACCES\n`]);
  });

  test('says what is needed where there is none', async () => {
    const { code, out, err } = await onOldNode(installed('without', false));
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^posthorn: Node 24 or newer is needed, and this is v\S+\. "npm ci" in .*\n$/);
  });
});
