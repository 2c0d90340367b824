import { EXIT, type ExitCode } from './exit-codes.ts';

/** Somebody pressed Ctrl-C, the system ends the program, or nobody reads what it prints any more. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: ExitCode;

  constructor(by: NodeJS.Signals | 'the end of its output') {
    super(`interrupted by ${by}`);
    const codes: Record<string, ExitCode> = { SIGINT: EXIT.INTERRUPTED, 'the end of its output': EXIT.FINE };
    this.exitCode = codes[by] ?? EXIT.TERMINATED;
  }
}

/** What was begun has this long to be put right once nobody reads any more. Milliseconds. */
const PUTTING_RIGHT_MS = 10_000;

const controller = new AbortController();

/** Aborted by the first Ctrl-C (or SIGTERM, or the closing of the terminal): whatever waits ends, and what was begun is put right before the program ends. */
export const interruption: AbortSignal = controller.signal;

/** For what must not be left half known: it goes on after Ctrl-C, but not for longer than this. Milliseconds. */
export function lingering(ms: number): AbortSignal {
  const late = new AbortController();
  const begin = (): void => void setTimeout(() => late.abort(interruption.reason), ms).unref();
  if (interruption.aborted) begin();
  else interruption.addEventListener('abort', begin, { once: true });
  return late.signal;
}

/** How the program ends when it was interrupted; undefined: it was not. */
export const interruptedWith = (): ExitCode | undefined =>
  interruption.aborted ? (interruption.reason as Interrupted).exitCode : undefined;

/** From now on a first signal interrupts, and a second one ends the program at once. */
export function listenForSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const reason = new Interrupted(signal);
      if (interruption.aborted) process.exit(reason.exitCode);
      controller.abort(reason);
    });
  }
}

/** Who reads the output has enough of it, as `head` has: that is no failure, and what was begun is put right all the same. */
export function outputEnded(): void {
  if (interruption.aborted) return;
  controller.abort(new Interrupted('the end of its output'));
  setTimeout(() => process.exit(EXIT.FINE), PUTTING_RIGHT_MS).unref();
}
