import { EXIT } from './exit-codes.ts';
import { listenForSignals, outputEnded } from './interrupt.ts';
import { runProgram } from './run-program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    outputEnded();
    return;
  }
  console.error(`posthorn: cannot write the output: ${error.message}`);
  process.exit(EXIT.FAILED);
});

listenForSignals();
await runProgram(process.argv.slice(2));
// Not when nothing runs any more: an embedded database that ended by itself while it was opened leaves a timer that only it could stop. What
// was printed goes out first; that it could not is told before the next turn (above).
process.stdout.write('', () => setImmediate(() => process.exit()));
