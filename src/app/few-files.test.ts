import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { childEnv, childFlags } from '../../test/helpers/child-env.ts';
import { fewFiles, mostFiles } from './few-files.ts';

const CONFIG = { WEBHOOK_WORKER_IN_FLIGHT: 1024 };

test('a limit of open files below what the settings may need is told, with what to do', () => {
  assert.equal(fewFiles(CONFIG, 'all', 1280), null);
  assert.match(
    fewFiles(CONFIG, 'worker', 1279) ?? '',
    /^this process may have only 1279 .* may need 1280, of which up to 1024 are to receivers .*: raise the limit \(ulimit -n; /,
  );
  assert.equal(fewFiles(CONFIG, 'api', 256), null);
  assert.match(fewFiles(CONFIG, 'api', 64) ?? '', /only 64 .* may need 256: raise/);
});

test('nothing is said where the system does not tell, or has no limit', () => {
  const limits = (most: string): string =>
    `Max processes  1  1  processes\nMax open files            ${most}            ${most} files\n`;
  assert.equal(
    mostFiles(() => limits('64')),
    64,
  );
  assert.equal(
    mostFiles(() => limits('unlimited')),
    undefined,
  );
  const none = mostFiles(() => {
    throw new Error('no such file');
  });
  assert.equal(none, undefined);
});

test('the limit is that of the process', {
  skip: process.platform !== 'linux' && 'only Linux has /proc/self/limits',
}, () => {
  const program = `const m = await import(${JSON.stringify(import.meta.resolve('./few-files.ts'))}); console.log(m.mostFiles());`;
  const few = ['-c', 'ulimit -n 77; exec "$@"', 'sh', process.execPath, ...childFlags];
  const said = execFileSync('sh', [...few, '--input-type=module', '-e', program], { env: childEnv, encoding: 'utf8' });
  assert.equal(said, '77\n');
});
