import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { childEnv, childFlags } from './child-env.ts';
import { cleanup } from './cleanup.ts';
import { migratedPostgres, testDb } from './database.ts';
import { migratedDataDir } from './embedded.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** `npm start` as a process of its own. */
export interface ServiceChild {
  child: ChildProcess;
  url: string;
  /** Everything that it wrote. */
  output: () => string;
  /** Resolves with the exit code once it has ended. */
  ended: Promise<number | null>;
}

/** Where the data of one service lies: a migrated database of the run's kind, with nothing in it. */
export async function newPlace(): Promise<Record<string, string>> {
  if (testDb === 'postgres') {
    return { DATABASE_URL: await migratedPostgres(), POSTHORN_MASTER_KEY: Buffer.alloc(32, 3).toString('base64') };
  }
  return { POSTHORN_DATA_DIR: await migratedDataDir() };
}

/** Starts it on a free port. `url` is empty when it ended without listening; then `output` says why. */
export async function startChild(env: Record<string, string>): Promise<ServiceChild> {
  const child = spawn(process.execPath, [...childFlags, 'src/main.ts'], {
    cwd: ROOT,
    env: { ...childEnv, POSTHORN_ENV: 'test', PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  // Its folder is removed next: not while it still writes there.
  cleanup(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = await new Promise<string>((done) => {
    createInterface(child.stdout).on('line', (line) => {
      output += `${line}\n`;
      if (line.includes('Posthorn is listening')) done((JSON.parse(line) as { url: string }).url);
    });
    void ended.then(() => done(''));
  });
  return { child, url, output: () => output, ended };
}
