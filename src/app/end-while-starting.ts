const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends this process at the first signal that asks it to, until what it gives is called by whoever stops in an orderly way from then on. A start may
 * take as long as its migrations, and as PID 1 of a container a process that does not listen to a signal is not ended by it. What is open is
 * left to the system: the database rolls back what was begun, and whatever is committed is whole.
 */
export function endWhileStarting(tell: (signal: NodeJS.Signals) => void, exitCode: number): () => void {
  const end = (signal: NodeJS.Signals): never => {
    tell(signal);
    process.exit(exitCode);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}
