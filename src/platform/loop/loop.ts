import { monotonicNow } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { LoopFailures } from './failures.ts';

/** Background work with a single step, so that tests drive it without time. */
export interface Loop {
  name: string;
  /**
   * Does one portion. True: there may be more at once; false: nothing to do until woken or polled.
   * `polled`: it was not woken, the longest wait is over; look for what a lost wake-up would have told.
   */
  step(polled: boolean): Promise<boolean>;
  /** Longest wait between steps. Milliseconds. */
  everyMs: number;
  /** Called once at start with what wakes the loop. */
  attach?(wake: () => void): void;
}

export interface RunningLoop {
  /** Resolves when the step under way has ended; there is no further one. */
  stop(): Promise<void>;
}

/** A step that throws is told (`LoopFailures`) and tried again after this long, doubling up to the maximum. Milliseconds. */
const ERROR_BACKOFF_MS = 100;
const ERROR_BACKOFF_MAX_MS = 10_000;

/** Runs the loop until stopped. One step at a time; a wake-up during a step leads to another step. `now`: milliseconds, on a clock that never jumps. */
export function runLoop(loop: Loop, log: Log, now = monotonicNow): RunningLoop {
  const failures = new LoopFailures(loop.name, log, now);
  let stopped = false;
  let woken = false;
  let endWait: (() => void) | undefined;
  const wait = (ms: number): Promise<void> =>
    new Promise((done) => {
      const timer = setTimeout(done, ms);
      endWait = () => (clearTimeout(timer), done());
    });
  loop.attach?.(() => {
    woken = true;
    endWait?.();
  });

  const finished = (async () => {
    let backoff = ERROR_BACKOFF_MS;
    let polled = true;
    while (!stopped) {
      woken = false;
      try {
        const more = await loop.step(polled);
        backoff = ERROR_BACKOFF_MS;
        failures.worked();
        if (!more && !woken && !stopped) await wait(loop.everyMs);
        polled = !more && !woken;
      } catch (error) {
        if (stopped) {
          // Whoever stops waits only so long before it closes what the step works with.
          log.warn(
            { err: error, loop: loop.name },
            'the shutdown broke off a step of a background loop; the next start goes on with it',
          );
          return;
        }
        failures.failed(error);
        await wait(backoff);
        backoff = Math.min(backoff * 2, ERROR_BACKOFF_MAX_MS);
        polled = true;
      }
    }
  })();
  return {
    async stop() {
      stopped = true;
      endWait?.();
      await finished;
    },
  };
}
