import { readFileSync } from 'node:fs';
import { isStartedByNpm } from '../platform/config/index.ts';

/** A service outlives its npm by up to twice as long. Milliseconds. */
const LOOK_MS = 250;

/** Undefined: it cannot be read, since there is none, or there is no file descriptor left for it. */
const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
};

/** Which process started that one. */
const parent = (pid: number): string | undefined =>
  // Behind the name of the program, which may hold anything: its state, and the process that started it.
  read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[1];

/**
 * Gives what tells whether who started this process is gone: npm, or the shell that npm runs a script in and, on Linux, the npm behind that, which the shell
 * outlives. Never who started npm: a terminal may be closed behind `nohup npm start &`. What cannot be read is no change.
 */
function lookForStarter(): () => boolean {
  const { ppid } = process;
  const isShell = read(`/proc/${ppid}/cmdline`)?.startsWith('sh\0-c\0') ?? false;
  const npm = isShell ? parent(ppid) : undefined;
  return () => process.ppid !== ppid || (npm !== undefined && (parent(ppid) ?? npm) !== npm);
}

/**
 * Calls `then` at the first signal to end, which also has its usual effect: listening to a signal keeps it from ending a process, such as one that is
 * only starting and does not listen by itself yet.
 */
function whenAskedToEnd(then: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      then();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}

/**
 * A service that `npm start` started ends as at SIGTERM when npm or its shell is gone. npm at SIGTERM ends without it, and at SIGKILL cannot tell
 * it: it would keep port and data folder, and the next start would find them in use. Whatever else starts the service
 * may leave it alone. A signal to the whole group (Ctrl-C, a service manager's) takes npm as well: the service then ends
 * already, and a second SIGTERM would break that off.
 */
export function endWithNpm(): void {
  if (!isStartedByNpm() || process.platform === 'win32') return;
  const isGone = lookForStarter();
  let seen = false;
  const look = setInterval(() => {
    if (!isGone()) return;
    // One look later: the signal that took npm may still be on its way to this process.
    if (!seen) return void (seen = true);
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  look.unref();
  whenAskedToEnd(() => clearInterval(look));
}
