import assert from 'node:assert/strict';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { markdownFiles } from './markdown-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-files-'));
after(() => rmSync(folder, { recursive: true }));

test('Markdown files are found in order, below whatever folder', async () => {
  for (const path of ['b', 'a/deep', '.hidden', 'node_modules']) mkdirSync(join(folder, path), { recursive: true });
  const found = ['a.md', 'a/deep/x.MDX', 'a/y.markdown', 'b.md', 'b/c.md'];
  for (const path of [...found, '.hidden/a.md', 'node_modules/a.md', 'a/x.txt', 'md'])
    writeFileSync(join(folder, path), '');
  assert.deepEqual(
    await markdownFiles(folder),
    found.map((path) => join(folder, path)),
  );
});

test('more of them in a folder than a call takes arguments', async () => {
  const large = join(folder, 'large');
  mkdirSync(join(large, 'below'), { recursive: true });
  for (let n = 0; n < 15_000; n++) linkSync(join(folder, 'b.md'), join(large, 'below', `${n}.md`));
  // On a small stack a call takes some 12,000 arguments; as many files as for the usual one take long to make.
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData.module).then(({ markdownFiles }) => markdownFiles(workerData.folder))
       .then((files) => parentPort.postMessage(files.length));`,
    {
      eval: true,
      workerData: { module: new URL('markdown-files.ts', import.meta.url).href, folder: large },
      resourceLimits: { stackSizeMb: 0.3 },
    },
  );
  assert.deepEqual(await once(worker, 'message'), [15_000]);
  await worker.terminate();
});
