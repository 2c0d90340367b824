import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { readStaticSite, serveStaticSite } from './static-site.ts';

const SCRIPT = 'console.log("a script");';
const PAGE =
  '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script src="/d/assets/a-1x.js"></script>';

const folder = await mkdtemp(join(tmpdir(), 'posthorn-site-'));
after(() => rm(folder, { recursive: true }));
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), PAGE);
await writeFile(join(folder, 'icon.svg'), '<svg/>');
await writeFile(join(folder, 'notes.txt'), 'of a type that is not served');
await writeFile(join(folder, 'assets/a-1x.js'), SCRIPT);
await writeFile(join(folder, 'assets/a-1x.js.br'), brotliCompressSync(SCRIPT));
await writeFile(join(folder, 'assets/a-1x.js.gz'), gzipSync(SCRIPT));

const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
serveStaticSite(app, { prefix: '/d', site: await readStaticSite(folder), missing: '' });
serveStaticSite(app, { prefix: '/none', site: await readStaticSite(join(folder, 'nowhere')), missing: 'Not built.' });
after(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

describe('a built site', () => {
  test('has its page under every address that is no file, never kept, with a nonce of its own each time', async () => {
    const nonces = new Set<string>();
    for (const url of ['/d', '/d/', '/d/posts/1?status=DRAFT', '/d/index.html', '/d/notes.txt']) {
      const reply = await get(url);
      assert.equal(reply.statusCode, 200, url);
      assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(reply.headers['cache-control'], 'no-cache');
      const nonce = /nonce="([^"]+)"/.exec(reply.body)?.[1] ?? '';
      assert.match(nonce, /^[\w+/]{22}==$/);
      assert.ok(String(reply.headers['content-security-policy']).includes(`style-src 'self' 'nonce-${nonce}'`));
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 5);
  });

  test('lets no script of the page or of elsewhere run, and no other site frame it', async () => {
    const { headers } = await get('/d');
    const policy = String(headers['content-security-policy']).split('; ');
    assert.ok(policy.includes("default-src 'none'"));
    assert.ok(policy.includes("script-src 'self'"));
    assert.ok(policy.includes("frame-ancestors 'none'"));
    assert.ok(policy.includes("base-uri 'none'"));
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'same-origin');
  });

  test('has files for ever under names with a hash, others not', async () => {
    assert.equal((await get('/d/assets/a-1x.js')).headers['cache-control'], 'public, max-age=31536000, immutable');
    const icon = await get('/d/icon.svg');
    assert.deepEqual([icon.headers['cache-control'], icon.headers['content-type']], ['no-cache', 'image/svg+xml']);
    const again = await get('/d/icon.svg', { 'if-none-match': String(icon.headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });

  test('sends the coding that the caller takes', async () => {
    for (const [accept, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['', undefined],
    ] as const) {
      const reply = await get('/d/assets/a-1x.js', accept === '' ? {} : { 'accept-encoding': accept });
      assert.equal(reply.headers['content-encoding'], coding, accept);
      assert.equal(reply.headers['vary'], 'Accept-Encoding');
      if (coding === undefined) assert.equal(reply.body, SCRIPT);
    }
  });

  test('has nothing outside of its folder, and no page in place of a script', async () => {
    assert.equal((await get('/d/assets/b-2y.js')).statusCode, 404);
    for (const url of ['/d/../etc/passwd', '/d/%2e%2e/%2e%2e/etc/passwd', '/d/..%2f..%2fetc%2fpasswd']) {
      assert.doesNotMatch((await get(url)).body, /root:/);
    }
  });
});

test('a site that was not built is 404 in words', async () => {
  const reply = await get('/none/posts');
  assert.deepEqual([reply.statusCode, reply.json<{ message: string }>().message], [404, 'Not built.']);
});
