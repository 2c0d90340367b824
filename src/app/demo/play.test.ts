import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { childEnv, childFlags } from '../../../test/helpers/child-env.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { migratedDataDir } from '../../../test/helpers/embedded.ts';
import { demoFile, readDemo } from './demo-file.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const PLAY = fileURLToPath(new URL('play.ts', import.meta.url));
// Migrated, so that a start has the demo to make and nothing else; one from nothing is in demo.test.ts.
const dataDir = await migratedDataDir();
const children: ChildProcess[] = [];
cleanup(() => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
});

function run(file: string, args: readonly string[] = []): ChildProcess {
  const env = { ...childEnv, POSTHORN_DATA_DIR: dataDir, PORT: '0', PASSWORD_HASH_COST: '10' };
  const child = spawn(process.execPath, [...childFlags, file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

/** What the child prints until it ends, and its exit code. */
async function ended(child: ChildProcess): Promise<{ code: number | null; out: string; error: string }> {
  const text = { out: '', error: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.error += chunk));
  await once(child, 'close');
  return { code: child.exitCode, ...text };
}

/** The lines of the child up to the one that matches. */
async function linesUntil(child: ChildProcess, wanted: RegExp): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    lines.push(line);
    if (wanted.test(line)) return lines;
  }
  throw new Error(`the child ended before ${wanted}: ${lines.join('\n')}`);
}

test('without a demo or a service, npm run demo says what to do', async () => {
  const nothing = await ended(run(PLAY));
  assert.equal(nothing.code, 1);
  assert.match(nothing.error, /There is no demo: .*demo\.json[^]*npm start/);
});

test('a start that is killed while it creates the demo leaves nothing half', async () => {
  const killed = run(MAIN);
  killed.stdout?.resume();
  // The file comes just before the commit: the kill hits one side of it or the other.
  for await (const { filename } of watch(dataDir, { signal: AbortSignal.timeout(60_000) })) {
    if (filename === basename(demoFile(dataDir))) break;
  }
  killed.kill('SIGKILL');
  await once(killed, 'close');
  assert.ok(await readDemo(dataDir), 'the file is whole');
});

test('npm start prints the table last, and npm run demo plays against it', async () => {
  const service = run(MAIN);
  const lines = await linesUntil(service, /^Stop: /);
  const table = lines.findIndex((line) => /^Posthorn .* is running/.test(line));
  assert.ok(lines.slice(0, table).some((line) => line.includes('this node fans webhooks out')));
  assert.ok(lines.slice(table).every((line) => !line.startsWith('{')));
  const url = /Address +(\S+)/.exec(lines.join('\n'))?.[1] ?? '';
  const curl = /curl -H "Authorization: (\S+ \S+)" (\S+)/.exec(lines.join('\n')) ?? [];
  assert.equal((await fetch(curl[2] ?? '', { headers: { authorization: curl[1] ?? '' } })).status, 200);
  const command = lines.find((line) => line.trim().startsWith('npm run demo'));
  assert.equal(command?.trim(), `npm run demo -- --url ${url} --data-dir "${dataDir}"`);

  const play = await ended(run(PLAY, ['--url', url]));
  assert.equal(play.code, 0, play.error);
  const deliveries = play.out.split('\n').filter((line) => /^ {2}\d\d:/.test(line));
  assert.equal(deliveries.length, 17);
  assert.ok(
    deliveries.every((line) => / 1 +verified ✓ +\d+ ms/.test(line)),
    play.out,
  );
  for (const name of ['offer.created', 'trade.counterparty_hold_started', 'trade.completed', 'space_booking.paid']) {
    assert.ok(
      deliveries.some((line) => line.includes(name)),
      name,
    );
  }
  assert.deepEqual(deliveries.filter((line) => line.includes('answered 500')).length, 1);
  assert.match(play.out, /PENDING, attempt 2 of 5 at [\d:.]+ \(in 1[2-7]\d s\)/);
  assert.match(deliveries.at(-1) ?? '', /trade\.completed .* X-Service-Replay: true/);
  assert.match(play.out, /17 deliveries, 17 with a genuine signature/);
  await assertNoEndpoints(url);

  // Ctrl-C in the middle: the first delivery has come, so the endpoints are there.
  const stopped = run(PLAY, ['--url', url]);
  await linesUntil(stopped, /offer\.created/);
  stopped.kill('SIGINT');
  await once(stopped, 'close');
  assert.equal(stopped.exitCode, 130);
  await assertNoEndpoints(url);

  service.kill('SIGTERM');
  await once(service, 'close');
  assert.equal(service.exitCode, 0);
  const away = await ended(run(PLAY, ['--url', url]));
  assert.equal(away.code, 1);
  assert.match(away.error, /^No Posthorn answers on http[^]*npm start/);
});

async function assertNoEndpoints(url: string): Promise<void> {
  const demo = await readDemo(dataDir);
  for (const [who, path] of [
    ['merchant', 'endpoints'],
    ['business', 'business-subscriptions'],
  ] as const) {
    const key = demo?.accounts.find((a) => a.who === who)?.key ?? '';
    const reply = await fetch(`${url}/v1/webhooks/${path}`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await reply.json()) as { total: number }).total, 0);
  }
}

test('a service that does not know the keys of the demo is told apart from one that is away', async () => {
  const other = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? 200 : 401, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"UNAUTHENTICATED","message":"unknown"}}');
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  after(() => other.close());
  const refused = await ended(run(PLAY, ['--url', `http://127.0.0.1:${(other.address() as AddressInfo).port}`]));
  assert.equal(refused.code, 1);
  assert.match(refused.error, /refuses the keys of this demo/);
});
