import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const ROOT = new URL('../', import.meta.url).pathname;
/** All of it, receivers included, as one gzip. Bytes. */
const MOST = 15_000;

/** The package as it would be published. */
const folder = mkdtempSync(join(tmpdir(), 'posthorn-client-'));
const out = join(folder, 'dist');
after(() => rmSync(folder, { recursive: true, force: true }));

test('the package is built, small, and what it says that it exports', async () => {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', 'client', '--outDir', out], { cwd: ROOT });
  const scripts = globSync('**/*.js', { cwd: out }).toSorted();
  const size = gzipSync(Buffer.concat(scripts.map((file) => readFileSync(join(out, file))))).length;
  process.stdout.write(`client: ${scripts.length} files, ${size} bytes gzipped\n`);
  assert.ok(size <= MOST, `${size} bytes`);
  assert.deepEqual(
    scripts.filter((file) => /(?:from|import\()\s*['"][^.'"]/.test(readFileSync(join(out, file), 'utf8'))),
    [],
    'nothing but its own files is imported',
  );
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string; default: string }>;
  };
  for (const target of Object.values(exports)) {
    if (typeof target === 'string') continue;
    const at = (path: string): string => path.replace('./dist/', '');
    assert.ok(globSync(at(target.types), { cwd: out }).length === 1, target.types);
    assert.ok(Object.keys((await import(pathToFileURL(join(out, at(target.default))).href)) as object).length > 0);
  }

  for (const name of ['package.json', 'README.md']) cpSync(join(ROOT, 'client', name), join(folder, name));
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
    'publint has nothing to say',
  );
});
