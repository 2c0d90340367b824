import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/lib/postgres.ts';
import { ROOT } from '../../scripts/lib/step.ts';
import { childEnv } from '../helpers/child-env.ts';
import { cleanup } from '../helpers/cleanup.ts';
import { until } from '../helpers/engine.ts';
import { listens } from '../helpers/pooler.ts';
import { type TestService, testService } from '../helpers/service.ts';
import { needsNginx, nginxPath } from '../helpers/services.ts';
import { blocksFor, placed } from './runnable.ts';

/** Requests that one reader without a session may make in a minute. */
const LIMIT = 5;

/** nginx with one server, in which the page's block stands, and around it what is for all; stopped after the test file. */
async function startNginx(port: number, block: string, around = ''): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'posthorn-nginx-'));
  cleanup(() => rm(home, { recursive: true, force: true }));
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = folders.map((name) => `  ${name}_temp_path ${join(home, name)};`).join('\n');
  const text = `daemon off;
master_process off;
pid ${join(home, 'nginx.pid')};
error_log stderr;
events {}
http {
  access_log off;
${temporary}
${around}
  server {
    listen 127.0.0.1:${port};
${block}
  }
}
`;
  await writeFile(join(home, 'nginx.conf'), text);
  const child = spawn(nginxPath as string, ['-p', home, '-c', join(home, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  cleanup(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await ended;
  });
  await until('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(said);
    return listens(port);
  });
}

interface Answer {
  status: number;
  location: string | undefined;
  text: string;
}

/** A request as a reader at another address makes it. */
async function get(url: string, localAddress: string): Promise<Answer> {
  const sent = request(url, { localAddress, agent: false });
  sent.end();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  reply.setEncoding('utf8');
  for await (const chunk of reply) text += chunk as string;
  return { status: reply.statusCode as number, location: reply.headers.location, text };
}

const [proxy, ghost, wordpress, report, map, short] = blocksFor('docs/site.md', 'test/docs/nginx-page.test.ts').map(
  ({ text }) => text,
) as [string, string, string, string, string, string];

/** Longer than an entry of a map of nginx may be where nothing is said of it. */
const LONG_SLUG = 'искусственный-интеллект-и-право';
/** One that would end the entry of a map. */
const HOSTILE_SLUG = 'a";}\n\\$uri';

/** A site with what the example of WordPress holds, and the map of its posts as the commands of the page make it. */
async function movedSite(): Promise<{ service: TestService; maps: Record<string, string> }> {
  const service = await testService();
  const { token } = await service.user({ blogRole: 'EDITOR' });
  const home = await mkdtemp(join(tmpdir(), 'posthorn-moved-'));
  cleanup(() => rm(home, { recursive: true, force: true }));
  const sample = await readFile(join(ROOT, 'src/cli/transfer/formats/samples/wordpress.xml'), 'utf8');
  const tag = '<category domain="post_tag" nicename="b"><![CDATA[Blues]]></category>';
  const others = [encodeURIComponent(LONG_SLUG), encodeURIComponent(HOSTILE_SLUG)].map((slug) =>
    tag.replace('"b"', `"${slug}"`),
  );
  assert.ok(sample.includes(tag));
  await writeFile(
    join(home, 'export.xml'),
    sample.replace(tag, () => [tag, ...others].join('')),
  );
  const command = placed(report, { 'npx posthorn': `node ${ROOT}/src/cli/main.ts` });
  const env = { ...childEnv, HOME: home, POSTHORN_URL: service.url, POSTHORN_KEY: token };
  await promisify(execFile)('sh', ['-c', command], { cwd: home, env });
  assert.equal(await readFile(join(home, 'old-posts.map'), 'utf8'), '"/?11" rock-roll;\n', 'and no draft');
  assert.equal(
    await readFile(join(home, 'old-lists.map'), 'utf8'),
    `"tag/b" "tag/Blues";
"tag/${LONG_SLUG}" "tag/Blues";
"tag/a\\";}\\n\\\\$uri" "tag/Blues";
"category/live" "category/Live%20%26%20loud";
`,
  );
  const names = ['old-posts.map', 'old-lists.map'];
  return { service, maps: Object.fromEntries(names.map((name) => [`/etc/nginx/${name}`, join(home, name)])) };
}

/** Where the rules of a page lead whoever asks: the last address, with its status. */
async function follow(at: string, path: string): Promise<string> {
  let [address, status] = [path, 0];
  for (let n = 0; n < 5; n++) {
    const reply = await get(new URL(address, at).href, '127.0.0.2');
    status = reply.status;
    if (reply.location === undefined) break;
    assert.equal(status, 301, `${path}: ${address}`);
    const next = new URL(reply.location, at);
    assert.equal(next.hostname, '127.0.0.1', path);
    address = next.pathname + next.search;
  }
  return `${status} ${address}`;
}

describe('the proxy of the page', needsNginx, () => {
  test('hands over the site, with its public address, and each reader has a rate limit of their own', async () => {
    const port = await freePort();
    const at = `http://127.0.0.1:${port}`;
    const env = { POSTHORN_PUBLIC_URL: at, TRUST_PROXY: '127.0.0.1', RATE_LIMIT_ANONYMOUS: String(LIMIT) };
    const service = await testService({ env });
    await startNginx(port, placed(proxy, { 'http://127.0.0.1:3000': service.url }));

    const home = await get(`${at}/blog`, '127.0.0.2');
    assert.equal(home.status, 200, home.text);
    assert.ok(home.text.includes(`<link rel="canonical" href="${at}/blog"`), home.text.slice(0, 2000));
    assert.equal((await get(`${at}/v1/blog/posts`, '127.0.0.2')).status, 404, 'nothing else is handed over');

    const statuses: number[] = [];
    for (let i = 0; i < LIMIT; i++) statuses.push((await get(`${at}/blog/feed.xml`, '127.0.0.2')).status);
    assert.equal(statuses.at(-1), 429, statuses.join());
    assert.equal((await get(`${at}/blog`, '127.0.0.3')).status, 200, "another reader's");
  });
});

describe('old addresses of the page', needsNginx, async () => {
  const { service, maps } = needsNginx.skip === false ? await movedSite() : { service: null, maps: {} };

  async function startAt(rules: string, around = ''): Promise<string> {
    const port = await freePort();
    await startNginx(port, rules + placed(proxy, { 'http://127.0.0.1:3000': service?.url ?? '' }), around);
    return `http://127.0.0.1:${port}`;
  }

  test('of Ghost', async () => {
    const at = await startAt(ghost);
    for (const [path, there] of [
      ['/', '200 /blog'],
      ['/page/2/', '200 /blog'],
      ['/rock-roll/?ref=x', '200 /blog/rock-roll?ref=x'],
      ['/Rock_Roll', '200 /blog/rock-roll'],
      ['/rock/', '200 /blog/rock-roll'],
      ['/tag/blues/page/2/', '200 /blog/tag/blues'],
      ['/tag/music/', '200 /blog/category/Music'],
      ['/tag/music/rss/', '200 /blog/category/Music/feed.xml'],
      ['/author/ann/', '200 /blog/-/archive'],
      ['/rss/', '200 /blog/feed.xml'],
      ['/sitemap-posts.xml', '200 /blog/sitemap.xml'],
      ['/blog/rock-roll', '200 /blog/rock-roll'],
      ['/never-there/', '404 /blog/never-there'],
      ['/a%0d%0aset-cookie:%20x=1/', '404 /blog/a%0D%0Aset-cookie:%20x=1'],
    ])
      assert.equal(await follow(at, path as string), there, path);
  });

  test('of WordPress and Jekyll, and by the numbers of WordPress', async () => {
    const at = await startAt(short + wordpress, placed(map, maps));
    for (const [path, there] of [
      ['/?p=11', '200 /blog/rock-roll'],
      ['/?p=4711', '200 /blog?p=4711'],
      ['/?p=12', '200 /blog?p=12'],
      ['/rock-roll/?p=11', '200 /blog/rock-roll?p=11'],
      ['/shop/?p=11', '404 /blog/shop?p=11'],
      ['/2013/06/04/rock-roll/', '200 /blog/rock-roll'],
      ['/2013/06/rock-roll', '200 /blog/rock-roll'],
      ['/2013/06/04/rock-roll/feed/', '200 /blog/rock-roll'],
      ['/music/2013/06/04/rock-roll.html', '200 /blog/rock-roll'],
      ['/music/2013/06/04/rock.roll.html', '200 /blog/rock-roll'],
      ['/uploads/2013/06/rock-roll', '404 /uploads/2013/06/rock-roll'],
      ['/2013/06/04/', '200 /blog/-/archive/2013/06'],
      ['/2013/06/page/2/', '200 /blog/-/archive/2013/06'],
      ['/2013/page/2/', '200 /blog/-/archive/2013'],
      ['/comments/feed/', '200 /blog/feed.xml'],
      ['/author/ann/feed/', '200 /blog/feed.xml'],
      ['/post-sitemap.xml', '200 /blog/sitemap.xml'],
      ['/rock-roll/', '200 /blog/rock-roll'],
      ['/2013/06/', '200 /blog/-/archive/2013/06'],
      ['/2013/', '200 /blog/-/archive/2013'],
      ['/category/arts/music/', '200 /blog/category/music'],
      ['/category/music/page/2/', '200 /blog/category/music'],
      ['/category/music/feed/', '200 /blog/category/music/feed.xml'],
      ['/category/blues/', '200 /blog/tag/Blues'],
      ['/tag/blues/', '200 /blog/tag/blues'],
      ['/tag/b/', '200 /blog/tag/Blues'],
      [`/tag/${encodeURIComponent(LONG_SLUG)}/`, '200 /blog/tag/Blues'],
      [`/tag/${encodeURIComponent(HOSTILE_SLUG)}/`, '200 /blog/tag/Blues'],
      ['/tag/B/page/2/', '200 /blog/tag/Blues'],
      ['/tag/b/feed/', '200 /blog/tag/Blues/feed.xml'],
      ['/tag/b/rss', '200 /blog/tag/Blues/feed.xml'],
      ['/category/arts/live/', '200 /blog/tag/Live%20%26%20loud'],
      ['/tag/live/', '404 /blog/tag/live'],
      ['/feed/', '200 /blog/feed.xml'],
      ['/feed.xml', '200 /blog/feed.xml'],
      ['/wp-sitemap-posts-post-1.xml', '200 /blog/sitemap.xml'],
      ['/blog/-/archive/2013/06', '200 /blog/-/archive/2013/06'],
      ['/blog/tag/Blues', '200 /blog/tag/Blues'],
    ])
      assert.equal(await follow(at, path as string), there, path);
  });
});
