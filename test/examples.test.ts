import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EVENTS } from '../src/contracts/events/index.ts';
import { childEnv } from './helpers/child-env.ts';
import { cleanup } from './helpers/cleanup.ts';
import { until } from './helpers/engine.ts';
import { testService } from './helpers/service.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
assert.ok(
  existsSync(join(ROOT, 'client/dist/index.js')),
  'the examples use the client as it is published: `npm run build` makes it',
);

const service = await testService();
const folder = await mkdtemp(join(tmpdir(), 'posthorn-examples-'));
cleanup(() => rm(folder, { recursive: true, force: true }));
const operator = await service.operator();

/** Starts an example by its command, as examples/README.md gives it. */
function start(name: string, env: Record<string, string>) {
  const child = spawn('npm', ['run', '--silent', name, '-w', 'examples'], {
    cwd: ROOT,
    env: { ...childEnv, HOME: folder, POSTHORN_URL: service.url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed.text += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  /** The program and npm, which waits for it. */
  const kill = (signal: NodeJS.Signals): void => void process.kill(-(child.pid as number), signal);
  cleanup(() => child.exitCode === null && child.signalCode === null && kill('SIGKILL'));
  return { printed, ended, kill };
}

async function run(name: string, env: Record<string, string>): Promise<string> {
  const { printed, ended } = start(name, env);
  assert.equal(await ended, 0, printed.text);
  return printed.text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test('static-blog writes all posts, then what has changed, and removes what is public no more', async () => {
  const { key } = await service.key(['blog:read'], await service.account('SITE'));
  const { token } = await service.user({ blogRole: 'EDITOR' });
  const manage = '/v1/blog/manage/posts';
  const publish = async (title: string): Promise<{ id: string; slug: string }> => {
    const body = { title, body: `About *${title}*.`, category: 'News' };
    const { id } = await service.ok<{ id: string }>(201, 'POST', manage, { token, body });
    return service.ok(200, 'POST', `${manage}/${id}/publish`, { token, body: {} });
  };
  const [one, two] = [await publish('Horn & <reed>'), await publish('The second')];
  const site = join(folder, 'site');
  // As somebody in a shell gives it: from where they are.
  const env = { POSTHORN_KEY: key, OUT: relative(ROOT, site) };
  const page = (slug: string) => join(site, slug, 'index.html');
  const list = () => readFile(join(site, 'index.html'), 'utf8');

  assert.match(await run('static-blog', env), /2 posts in .*: 2 written, 0 removed/);
  assert.match(await readFile(page(one.slug), 'utf8'), /<h1>Horn &amp; &lt;reed&gt;<\/h1>[\s\S]*About <em>Horn/);
  for (const title of [/Horn &amp; &lt;reed&gt;/, /The second/]) assert.match(await list(), title);

  assert.match(await run('static-blog', env), /2 posts in .*: 0 written, 0 removed/);

  await service.ok(200, 'PATCH', `${manage}/${two.id}`, { token, body: { title: 'The second, anew' } });
  await service.ok(200, 'POST', `${manage}/${one.id}/unpublish`, { token });
  assert.match(await run('static-blog', env), /1 posts in .*: 1 written, 1 removed/);
  assert.match(await list(), /The second, anew/);
  assert.doesNotMatch(await list(), /Horn/);
  assert.ok(!existsSync(page(one.slug)));
});

test('express-receiver gets what marketplace-publisher has in its outbox, each event once', async () => {
  const accountId = await service.account('MERCHANT');
  const merchant = await service.key(['webhooks:manage'], accountId);
  const publisher = await service.key(['events:publish'], await service.account('PLATFORM'));
  const port = await freePort();
  const receiver = start('express-receiver', { POSTHORN_SIGNING_SECRET: merchant.signingSecret, PORT: String(port) });
  await until('it listens', () => receiver.printed.text.includes('webhooks: '));
  const body = { url: `http://127.0.0.1:${port}/hooks` };
  await service.ok(201, 'POST', '/v1/webhooks/endpoints', { token: merchant.key, body });

  const outbox = join(folder, 'outbox.ndjson');
  const event = 'checkout.started';
  const lineOf = (n: number): string => {
    const data = { ...EVENTS[event].example, tradeSessionId: `ts_${n}` };
    return `${JSON.stringify({ id: `e${n}`, event, data, accountIds: [accountId] })}\n`;
  };
  const numbers = Array.from({ length: 230 }, (_, n) => n);
  await writeFile(outbox, numbers.slice(0, 130).map(lineOf).join(''));
  const env = { POSTHORN_KEY: publisher.key, OUTBOX: outbox };
  assert.match(await run('marketplace-publisher', env), /100 published[\s\S]*130 published, up to e129/);

  // As if it had ended after the request and before it wrote its answer down, and the outbox has grown since.
  await writeFile(`${outbox}.published`, '');
  assert.notEqual(await start('marketplace-publisher', env).ended, 0, 'a place that cannot be read is no beginning');
  await writeFile(`${outbox}.published`, JSON.stringify({ done: 100, sending: 30 }));
  await appendFile(outbox, numbers.slice(130).map(lineOf).join(''));
  assert.match(await run('marketplace-publisher', env), /130 published[\s\S]*230 published, up to e229/);
  const path = '/v1/events?tradeSessionId=ts_110';
  const { data } = await service.ok<{ data: unknown[] }>(200, 'GET', path, { token: operator });
  assert.equal(data.length, 1, 'what was published and not written down is not published again');

  const heard = async (): Promise<Record<string, string[]>> =>
    (await (await fetch(`http://127.0.0.1:${port}/trades`)).json()) as Record<string, string[]>;
  await until('all have come', async () => Object.keys(await heard()).length === numbers.length);
  assert.deepEqual(
    await heard(),
    Object.fromEntries(Object.keys(await heard()).map((id) => [id, [event]])),
    'each once',
  );
  assert.equal((await fetch(body.url, { method: 'POST', body: '{}' })).status, 400);
  receiver.kill('SIGTERM');
  await receiver.ended;
});

test('an example says what it lacks', async () => {
  for (const name of ['static-blog', 'marketplace-publisher', 'express-receiver']) {
    const { printed, ended } = start(name, {});
    assert.equal(await ended, 1);
    assert.match(printed.text, /^POSTHORN_(KEY|SIGNING_SECRET) is missing: .*\n$/, name);
  }
});
