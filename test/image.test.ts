import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanup } from './helpers/cleanup.ts';
import { buildContext, copiedFiles, filesOfSource, layOutImage } from './helpers/image.ts';
import { ServiceProcess } from './helpers/process.ts';

test('the builder of the image is given everything that the Dockerfile copies, and no tests', () => {
  const context = buildContext();
  const missing = copiedFiles().filter(({ source }) => filesOfSource(context, source).length === 0);
  assert.deepEqual(missing, []);
  assert.deepEqual(
    context.filter((path) => /\.test\.ts$|^(?:test|e2e|scripts)\//.test(path)),
    [],
  );
});

test('a service made of the files of the image has its pages, its dashboard and all of the documentation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-image-'));
  cleanup(() => rmSync(folder, { recursive: true, force: true }));
  layOutImage(join(folder, 'app'));
  const service = new ServiceProcess({ POSTHORN_DATA_DIR: join(folder, 'data') }, 'all', join(folder, 'app'));
  cleanup(() => service.kill());
  await service.start();
  const get = async (path: string): Promise<string> => {
    const reply = await fetch(`http://127.0.0.1:${service.port}${path}`);
    assert.equal(reply.status, 200, path);
    return reply.text();
  };
  const contents = await get('/docs');
  const linked = [...contents.matchAll(/ href="(\/docs[^"#]*)"/g)].map((match) => match[1] as string);
  // The navigation is the table of contents, which links to texts outside of docs/ too.
  for (const path of ['/docs/-/examples/README.md', '/docs/-/client/README.md', '/docs/-/CHANGELOG.md'])
    assert.ok(linked.includes(path), path);
  for (const path of [...new Set(linked), '/dashboard', '/blog', '/openapi.json']) await get(path);
  assert.match(
    await get('/docs/search?q=publish%20one%20event%20or%20a%20batch'),
    /href="\/docs\/api#\/Events\/publishEvents"/,
  );
});
