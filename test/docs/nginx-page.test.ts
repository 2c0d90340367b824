import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '../../scripts/lib/postgres.ts';
import { cleanup } from '../helpers/cleanup.ts';
import { until } from '../helpers/engine.ts';
import { listens } from '../helpers/pooler.ts';
import { testService } from '../helpers/service.ts';
import { needsNginx, nginxPath } from '../helpers/services.ts';
import { blocksFor, placed } from './runnable.ts';

/** Requests that one reader without a session may make in a minute. */
const LIMIT = 5;

/** nginx with one server, in which the page's block stands; stopped after the test file. */
async function startNginx(port: number, block: string): Promise<void> {
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
  text: string;
}

/** A request as a reader at another address makes it. */
async function get(url: string, localAddress: string): Promise<Answer> {
  const sent = request(url, { localAddress, agent: false });
  sent.end();
  const [reply] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  let text = '';
  reply.setEncoding('utf8');
  for await (const chunk of reply) text += chunk as string;
  return { status: reply.statusCode, text };
}

describe('the proxy of the page', needsNginx, () => {
  test('hands over the site, with its public address, and each reader has a rate limit of their own', async () => {
    const [block] = blocksFor('docs/site.md', 'test/docs/nginx-page.test.ts');
    const port = await freePort();
    const at = `http://127.0.0.1:${port}`;
    const env = { POSTHORN_PUBLIC_URL: at, TRUST_PROXY: '127.0.0.1', RATE_LIMIT_ANONYMOUS: String(LIMIT) };
    const service = await testService({ env });
    await startNginx(port, placed(block?.text ?? '', { 'http://127.0.0.1:3000': service.url }));

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
