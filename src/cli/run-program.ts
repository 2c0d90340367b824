import { CommanderError } from 'commander';
import { currentUrl } from './connection/connect.ts';
import { otherVersion } from './connection/version.ts';
import { EXIT } from './exit-codes.ts';
import { tell } from './failure.ts';
import { interruptedWith } from './interrupt.ts';
import { createProgram } from './program.ts';

async function fail(error: unknown): Promise<void> {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.FINE : EXIT.USAGE;
    return;
  }
  // What broke off because of the interruption is no failure of its own. A prompt takes Ctrl-C itself.
  const interrupted = interruptedWith() ?? ((error as Error).name === 'ExitPromptError' ? EXIT.INTERRUPTED : undefined);
  if (interrupted !== undefined) {
    process.exitCode = interrupted;
    return;
  }
  const url = currentUrl();
  const { line, exitCode } = tell((await otherVersion(error, url)) ?? error, url);
  console.error(line === null ? error : `posthorn: ${line}`);
  process.exitCode = exitCode;
}

/** Runs one command to its end: what fails is told on standard error, and the exit code is in `process.exitCode` (undefined: fine). Never throws. */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    await fail(error);
  }
  const interrupted = interruptedWith();
  if (interrupted !== undefined) process.exitCode = interrupted;
}
