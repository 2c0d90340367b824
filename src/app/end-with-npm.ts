import { readFileSync } from 'node:fs';
import { isStartedByNpm } from '../platform/config/index.ts';

/** How long a service outlives its npm, about. Milliseconds. */
const LOOK_MS = 500;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/**
 * Who started this process: npm, or the shell that npm runs a script in and, on Linux, the npm behind that, which the shell outlives. Never who started npm: a terminal
 * may be closed behind `nohup npm start &`.
 */
function startedBy(): string {
  const { ppid } = process;
  const isShell = read(`/proc/${ppid}/cmdline`).startsWith('sh\0-c\0');
  // Behind the name of the program, which may hold anything: its state, and the process that started it.
  const [, above = ''] = isShell ? (read(`/proc/${ppid}/stat`).split(') ').at(-1)?.split(' ') ?? []) : [];
  return `${ppid} ${above}`;
}

/**
 * A service that `npm start` started ends as at SIGTERM when npm or its shell is gone. npm at SIGTERM ends without it, and at SIGKILL cannot tell
 * it: it would keep port and data folder, and the next start would find them in use. Whatever else starts the service
 * may leave it alone.
 */
export function endWithNpm(): void {
  if (!isStartedByNpm() || process.platform === 'win32') return;
  const first = startedBy();
  const look = setInterval(() => {
    if (startedBy() === first) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  look.unref();
}
