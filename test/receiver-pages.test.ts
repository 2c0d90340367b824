import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { freePort } from '../scripts/lib/postgres.ts';
import { systemClock } from '../src/lib/clock.ts';

/** The receivers that readers copy out of a page. Each listens at port 4000. */
const PAGES = ['docs/getting-started.md', 'src/app/demo/posts/first-webhook.md'] as const;

const SECRET = 'whsec_c2VjcmV0';
const BODY = '{"event":"checkout.started"}';

/** The program of a page, at another port. */
function programOf(page: string, port: number): string[] {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
  const programs = [...text.matchAll(/```js[^\n]*\n(.*?)```/gs)].map((match) => match[1] ?? '');
  const receiver = programs.find((program) => program.includes('.listen(4000)'));
  assert.ok(receiver, `${page} has a receiver`);
  return ['--input-type=module', '--eval', receiver.replace('.listen(4000)', `.listen(${port}, '127.0.0.1')`)];
}

async function post(port: number, secret: string): Promise<number> {
  const t = Math.floor(systemClock.now() / 1000);
  const hex = createHmac('sha256', secret).update(`${t}.${BODY}`).digest('hex');
  const headers = { 'x-service-signature': `t=${t},v1=${hex}` };
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: BODY })).status;
}

/** A receiver of a page, once it listens; and what it wrote until it ended, null while it runs. */
async function started(t: TestContext, page: string): Promise<{ port: number; ended: () => string | null }> {
  const port = await freePort();
  const env = { ...process.env, SIGNING_SECRET: SECRET };
  const child: ChildProcess = spawn(process.execPath, programOf(page, port), {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = (): string | null => (child.exitCode === null ? null : errors);
  while (!(await isOpen(port))) {
    assert.equal(ended(), null);
    await new Promise((done) => setTimeout(done, 20));
  }
  return { port, ended };
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(socket.destroy() && true)).on('error', () => done(false));
  });

/** An upload that ends before its body does, as the receiver sees it. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n');
  // It reads the body from here on.
  await once(socket, 'data');
  socket.write('{', () => socket.resetAndDestroy());
  await once(socket, 'close');
}

describe('the receiver of a page', () => {
  for (const page of PAGES) {
    test(`${page}: tells genuine from forged, and outlives uploads that break off`, async (t) => {
      const { port, ended } = await started(t, page);
      for (let i = 0; i < 3; i++) await breakOff(port);
      const statuses = [await post(port, SECRET), await post(port, ''), await post(port, 'whsec_b3RoZXI=')];
      assert.equal(ended(), null);
      assert.ok(statuses[0] === 200 || statuses[0] === 204);
      assert.deepEqual(statuses.slice(1), [400, 400]);
    });

    test(`${page}: does not start without a secret`, async () => {
      const program = programOf(page, await freePort());
      const { SIGNING_SECRET: _, ...without } = process.env;
      for (const env of [without, { ...without, SIGNING_SECRET: '' }]) {
        const { status, stderr } = spawnSync(process.execPath, program, { env, encoding: 'utf8', timeout: 60_000 });
        assert.equal(status, 1);
        assert.match(stderr, /SIGNING_SECRET is missing/);
      }
    });
  }
});
