import { CommanderError } from 'commander';
import { currentUrl } from './connection/connect.ts';
import { otherVersion } from './connection/version.ts';
import { EXIT } from './exit-codes.ts';
import { tell } from './failure.ts';
import { interruptedWith, listenForSignals, outputEnded } from './interrupt.ts';
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

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    outputEnded();
    return;
  }
  console.error(`posthorn: cannot write the output: ${error.message}`);
  process.exit(EXIT.FAILED);
});

listenForSignals();
try {
  await createProgram().parseAsync();
} catch (error) {
  await fail(error);
}
const interrupted = interruptedWith();
if (interrupted !== undefined) process.exitCode = interrupted;
// Not when nothing runs any more: an embedded database that ended by itself while it was opened leaves a timer that only it could stop. What
// was printed goes out first; that it could not is told before the next turn (above).
process.stdout.write('', () => setImmediate(() => process.exit()));
