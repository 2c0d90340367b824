import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAIN, type Shell } from './cli.ts';

/** The program on a terminal; `answers` are typed when what they answer is asked. */
export async function onTerminal(
  shell: Shell,
  args: string[],
  answers: readonly [RegExp, string][],
): Promise<{ code: number; seen: string }> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  // `script` makes a terminal, and gives the exit code of what it runs.
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...shell.env, TERM: 'xterm' },
    stdio: 'pipe',
  });
  const waiting = [...answers];
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
    const [next] = waiting;
    if (!next?.[0].test(seen)) return;
    waiting.shift();
    child.stdin.write(next[1]);
  });
  const [code] = await once(child, 'close');
  return { code: code as number, seen };
}
