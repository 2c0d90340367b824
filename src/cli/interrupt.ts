import { EXIT, type ExitCode } from './exit-codes.ts';

/** Somebody pressed Ctrl-C, or the system ends the program. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: ExitCode;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = signal === 'SIGINT' ? EXIT.INTERRUPTED : EXIT.TERMINATED;
  }
}

const controller = new AbortController();

/** Aborted by the first Ctrl-C (or SIGTERM): whatever waits ends, and what was begun is put right before the program ends. */
export const interruption: AbortSignal = controller.signal;

/** How the program ends when it was interrupted; undefined: it was not. */
export const interruptedWith = (): ExitCode | undefined =>
  interruption.aborted ? (interruption.reason as Interrupted).exitCode : undefined;

/** From now on a first signal interrupts, and a second one ends the program at once. */
export function listenForSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const reason = new Interrupted(signal);
      if (interruption.aborted) process.exit(reason.exitCode);
      controller.abort(reason);
    });
  }
}
