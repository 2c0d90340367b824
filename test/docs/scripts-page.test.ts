import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '../../scripts/lib/postgres.ts';
import { ROOT } from '../../scripts/lib/step.ts';
import { childEnv } from '../helpers/child-env.ts';
import { cleanup } from '../helpers/cleanup.ts';
import { testDb } from '../helpers/database.ts';
import { until } from '../helpers/engine.ts';
import { testService } from '../helpers/service.ts';
import { isThere, wrkPath } from '../helpers/services.ts';
import { blocksFor } from './runnable.ts';

const RUNNER = 'test/docs/scripts-page.test.ts';
/** Until a server of these commands answers. Milliseconds. */
const START_MS = 120_000;
const needsLoad = {
  skip: testDb !== 'postgres' ? 'benchmarks are of PostgreSQL' : !isThere(wrkPath) && 'wrk is not installed',
} as const;

/** What is the same on every database. */
const onPglite = { skip: testDb !== 'pglite' && 'seen on PGlite' } as const;

/** The command of a page that begins so, without the remark behind it. */
function commandOf(page: string, start: string): string {
  const lines = blocksFor(page, RUNNER).flatMap(({ text }) => text.split('\n'));
  const found = lines.map((line) => line.replace(/\s+#.*/, '')).find((line) => line.startsWith(start));
  return found ?? assert.fail(`${page} has no command ${start}`);
}

const ENV = { ...childEnv, PATH: `${dirname(process.execPath)}:${childEnv['PATH'] ?? ''}` };

/** A command that goes on for ever, ended with all that it started after the test file. */
function startCommand(command: string, env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn('sh', ['-c', command], { cwd: ROOT, env: { ...ENV, ...env }, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  cleanup(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : null;
    process.kill(-(child.pid as number), 'SIGKILL');
    await ended;
  });
  return { child, output: () => output };
}

/** A part of the repository, without what npm and a run make, so that a command may change its files. */
function cloned(part: RegExp): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-clone-'));
  cleanup(() => rmSync(folder, { recursive: true, force: true }));
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const name of tracked.split('\0').filter((one) => part.test(one)))
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, force: true, errorOnExist: false });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe("CONTRIBUTING's commands", () => {
  test('npm run fix puts right what can be', onPglite, () => {
    const folder = cloned(/^(?:[^/]+|(?:scripts|src\/lib)\/.*)$/);
    const file = join(folder, 'src/lib/unfinished.ts');
    writeFileSync(file, 'export const   a = {b:"c"}\n');
    // It fails where something is left for a person, as it may be of the rest.
    spawnSync('sh', ['-c', commandOf('CONTRIBUTING.md', 'npm run fix')], { cwd: folder, env: ENV, timeout: 120_000 });
    assert.equal(readFileSync(file, 'utf8'), "export const a = { b: 'c' };\n");
  });

  test('npm run dev serves', onPglite, async () => {
    const port = String(await freePort());
    const data = mkdtempSync(join(tmpdir(), 'posthorn-dev-'));
    cleanup(() => rmSync(data, { recursive: true, force: true }));
    const env = { PORT: port, POSTHORN_DATA_DIR: data };
    const { output } = startCommand(commandOf('CONTRIBUTING.md', 'npm run dev'), env);
    const status = async (): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        (reply) => reply.status,
        () => 0,
      );
    await until('it is ready', async () => (await status()) === 200, START_MS).catch((error: unknown) => {
      throw new Error(output(), { cause: error });
    });
  });

  test('a scenario of the benchmarks prints what it finds', needsLoad, () => {
    const command = commandOf('CONTRIBUTING.md', 'BENCH_SECONDS');
    const env = { ...ENV, BENCH_DATABASE_URL: process.env.TEST_DATABASE_URL ?? '' };
    const printed = execFileSync('sh', ['-c', command], { cwd: ROOT, env, encoding: 'utf8', timeout: 120_000 });
    const rows = [...printed.matchAll(/^\| ([^|]+) \| [\d,]+ \| ([\d,]+) \| [\d.]+ \|$/gm)];
    assert.equal(rows.length, 2, printed);
    for (const [, name, perSecond = ''] of rows)
      assert.ok(Number(perSecond.replaceAll(',', '')) > 100, `${name}: ${perSecond}`);
  });
});

test("the dashboard's development server serves its page, and the service's replies beside it", onPglite, async () => {
  const service = await testService();
  const port = await freePort();
  const command = `${commandOf('dashboard/README.md', 'npm run dev -w dashboard')} -- --host 127.0.0.1 --strictPort --port ${port}`;
  const { output } = startCommand(command, { POSTHORN_URL: service.url });
  const get = async (path: string): Promise<{ status: number; text: string }> =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      async (reply) => ({ status: reply.status, text: await reply.text() }),
      () => ({ status: 0, text: '' }),
    );
  await until('its page is there', async () => (await get('/dashboard/')).status === 200, START_MS).catch(
    (error: unknown) => {
      throw new Error(output(), { cause: error });
    },
  );
  assert.match((await get('/dashboard/')).text, /@vite\/client/);
  assert.match((await get('/v1/auth/me')).text, /UNAUTHENTICATED/);
});
