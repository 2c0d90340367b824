import type { Server } from 'node:http';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';
import { isAnswering, socketsOf } from './sockets.ts';

/** Whoever asks one thing after the other has asked again by then, on a kept connection or on another. Milliseconds. */
const QUIET_MS = 50;
/** How often it is looked whether somebody still waits for an answer. Milliseconds. */
const LOOK_MS = 10;

/**
 * Gives a wait until nobody has asked anything or waited for an answer for a moment, or for `ms` at most. A connection that is closed between two requests
 * may be closed under the second one, which then has no answer and may have been done or not; a refusal that closes the connection leaves no doubt.
 */
export function watchAsking(server: Server): (ms: number) => Promise<void> {
  let askedAt = Number.NEGATIVE_INFINITY;
  server.on('request', () => (askedAt = monotonicNow()));
  const sockets = socketsOf(server);
  return async (ms) => {
    const until = monotonicNow() + ms;
    // Whoever was answered just now had asked some time ago, and asks again.
    if (sockets.size > 0) askedAt = monotonicNow();
    for (;;) {
      if ([...sockets].some(isAnswering)) askedAt = monotonicNow();
      const looked = monotonicNow();
      const left = Math.min(askedAt + QUIET_MS, until) - looked;
      if (left <= 0) return;
      await pause(Math.min(left, LOOK_MS));
      // Where something held this process up, what came meanwhile is read only after timers.
      await turn();
      // Who asks again by another connection takes some turns to be heard: time in which nobody was is no quiet time.
      askedAt += Math.max(0, monotonicNow() - looked - 2 * LOOK_MS);
    }
  };
}
