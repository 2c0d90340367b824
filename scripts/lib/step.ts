import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { monotonicNow } from '../../src/lib/clock.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The tools of node_modules, run by the Node that runs this script: the machine's own may be too old for them. */
const PATH = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);

export interface Step {
  name: string;
  command: readonly [string, ...string[]];
  env?: Record<string, string>;
}

export interface StepResult {
  name: string;
  ok: boolean;
  /** Standard output and standard error, as they came. */
  output: string;
  seconds: number;
}

/** Runs a command in the root of the repository to its end. `onText` is given its output as it comes. */
export function runStep({ name, command, env }: Step, onText?: (text: string) => void): Promise<StepResult> {
  const started = monotonicNow();
  const [file, ...args] = command;
  return new Promise((done) => {
    const child = spawn(file, args, {
      cwd: ROOT,
      env: { ...process.env, PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (text: string): void => {
      output += text;
      onText?.(text);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const end = (ok: boolean): void => done({ name, ok, output, seconds: (monotonicNow() - started) / 1000 });
    child.once('error', (error) => {
      take(`${error.message}\n`);
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}

/** One line a step: what it was, how it ended, how long it took. */
export const lineOf = ({ name, ok, seconds }: StepResult): string =>
  `${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`;
