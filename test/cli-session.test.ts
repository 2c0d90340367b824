import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../scripts/lib/step.ts';
import { isReadyAt } from './helpers/call.ts';
import { childEnv } from './helpers/child-env.ts';
import { cleanup } from './helpers/cleanup.ts';
import { until } from './helpers/engine.ts';
import { newPlace } from './helpers/child.ts';

/** A command of the session, and what it printed, with placeholders. */
interface Step {
  command: string;
  isBackground: boolean;
  output: string[];
}

function recorded(): Step[] {
  const page = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');
  const [, text = ''] = /<!-- session:.*-->\n```text\n([\s\S]*?)```/.exec(page) ?? [];
  const steps: Step[] = [];
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) {
      const isBackground = line.endsWith(' &');
      steps.push({ command: line.slice(2).replace(/ &$/, ''), isBackground, output: [] });
    } else steps.at(-1)?.output.push(line);
  }
  return steps;
}

/** What stands for something that is another one each time. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '<id>': '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}',
  '<secret>': '[A-Za-z0-9+/]{43}=',
  '<time>': '\\d\\d:\\d\\d:\\d\\d',
  '<file>': '\\S+/posthorn/credentials\\.json',
};
const PLACEHOLDER = /<\w+>/g;

function patternOf(line: string): RegExp {
  const names = line.match(PLACEHOLDER) ?? [];
  const parts = line.split(PLACEHOLDER).map((text) => RegExp.escape(text));
  return new RegExp(
    `^${parts.map((part, i) => part + (i < names.length ? PLACEHOLDERS[names[i] as string] : '')).join('')}$`,
    'm',
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('the recorded session of docs/cli.md goes as it is told, in at most ten commands', async () => {
  const steps = recorded();
  assert.ok(steps.length > 3 && steps.length <= 10, `${steps.length} commands`);
  const home = mkdtempSync(join(tmpdir(), 'posthorn-session-'));
  cleanup(() => rmSync(home, { recursive: true, force: true }));
  const port = await freePort();
  const env = { ...childEnv, ...(await newPlace()), HOME: home, XDG_CONFIG_HOME: home, PORT: String(port) };
  const here = (text: string): string => text.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);

  // What background commands print appears among the rest, as on a terminal.
  let printed = '';
  const begin = (command: string): ChildProcess => {
    const child = spawn('bash', ['-c', here(command)], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const closed = once(child, 'close');
    cleanup(async () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      // Its folder is removed next.
      await closed;
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    return child;
  };
  for (const { command, isBackground, output } of steps) {
    const child = begin(command);
    if (command.endsWith('npm start')) await until('the service is ready', () => isReadyAt(port), 120_000, 100);
    else if (!isBackground) {
      const [code] = await once(child, 'close');
      assert.equal(code, 0, `${command}: ${printed}`);
    }
    for (const line of output) {
      const pattern = patternOf(here(line));
      await until(`${command} prints ${line}`, () => pattern.test(printed), 60_000, 20).catch((error: Error) => {
        throw new Error(`${error.message}; there is:\n${printed}`);
      });
      printed = printed.replace(pattern, '');
    }
  }
});
