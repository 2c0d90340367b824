/** The gate already has as many waiting as it takes. */
export class GateFullError extends Error {
  override readonly name = 'GateFullError';
}

/**
 * Lets at most `width` calls run at once, and at most `queue` wait for their turn, in order of asking. One more is
 * refused at once with GateFullError: a queue that nobody waits for the end of only delays the answer.
 */
export function createGate(width: number, queue: number): <T>(run: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (running < width) running++;
    else {
      if (waiting.length >= queue) throw new GateFullError(`${queue} calls are waiting already`);
      // Who leaves hands its place over, so `running` does not change.
      await new Promise<void>((turn) => waiting.push(turn));
    }
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
