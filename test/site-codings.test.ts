import assert from 'node:assert/strict';
import { get as request, type IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { siteFixture } from './helpers/site.ts';

const site = await siteFixture();
const long = await site.publish({
  title: 'A long post',
  body: 'Words of it, é and 語, again and again.\n\n'.repeat(200),
});
const ann = await site.reader('Ann');

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** What comes over the wire. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((done, fail) => {
    request(site.service.url + path, { method, headers }, (reply) => {
      buffer(reply).then((bytes) => done({ status: reply.statusCode, headers: reply.headers, bytes }), fail);
    }).on('error', fail);
  });
}

const READ = {
  br: (bytes: Buffer) => brotliDecompressSync(bytes),
  gzip: (bytes: Buffer) => gunzipSync(bytes),
};

const css = /href="(\/blog\/-\/site\.\w+\.css)"/.exec((await ask('/blog')).bytes.toString())?.[1] ?? '';
const PATHS = ['/blog', `/blog/${long.slug}`, '/blog/feed.xml', '/blog/feed.json', css, '/docs', '/docs/settings'];

for (const path of PATHS)
  test(`${path} comes in the coding that is taken, with one ETag for all`, async () => {
    const plain = await ask(path);
    assert.equal(plain.status, 200);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.match(plain.headers.vary ?? '', /(?:^|, )Accept-Encoding$/);
    const etag = plain.headers.etag ?? '';
    assert.match(etag, /^"/);
    for (const coding of ['br', 'gzip'] as const) {
      for (const accepted of [coding, `deflate, ${coding};q=0.5`]) {
        const { status, headers, bytes } = await ask(path, { 'accept-encoding': accepted });
        assert.deepEqual([status, headers['content-encoding']], [200, coding]);
        assert.equal(headers['content-length'], String(bytes.length));
        assert.ok(bytes.length < plain.bytes.length / 2, `${bytes.length} of ${plain.bytes.length}`);
        assert.deepEqual(READ[coding](bytes), plain.bytes);
        const { etag: ofCoding, vary, 'content-type': type, 'cache-control': caching } = headers;
        assert.deepEqual(
          [ofCoding, vary, type, caching],
          [`W/${etag}`, plain.headers.vary, plain.headers['content-type'], plain.headers['cache-control']],
        );
      }
      for (const known of [etag, `W/${etag}`, `"other", W/${etag}`]) {
        const again = await ask(path, { 'accept-encoding': coding, 'if-none-match': known });
        assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, `W/${etag}`]);
        assert.equal(again.headers['content-encoding'], undefined);
      }
      const head = await ask(path, { 'accept-encoding': coding }, 'HEAD');
      assert.deepEqual([head.status, head.headers['content-encoding']], [200, coding]);
    }
    for (const accepted of ['identity', 'br;q=0, gzip;q=0', 'deflate', 'x-unknown', '']) {
      const { headers, bytes } = await ask(path, { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], undefined, accepted);
      assert.deepEqual(bytes, plain.bytes);
    }
    const both = await ask(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    assert.equal(both.headers['content-encoding'], 'br');
  });

test('what is for one reader alone, what is short, and what tells an error comes as it is', async () => {
  const accepted = { 'accept-encoding': 'br' };
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const hers = await ask(`/blog/${long.slug}`, { ...accepted, cookie });
  assert.match(hers.bytes.toString(), /Signed in as/);
  for (const path of ['/robots.txt', '/blog/none-such', '/blog?q=words', `/blog/-/views/${long.slug}`]) {
    const { headers, bytes } = await ask(path, accepted);
    assert.equal(headers['content-encoding'], undefined, path);
    assert.ok(bytes.length > 0, path);
  }
  assert.equal(hers.headers['content-encoding'], undefined);
});
