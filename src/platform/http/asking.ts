import type { Server } from 'node:http';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';

/** Whoever asks one thing after the other on a kept connection has asked again by then. Milliseconds. */
const QUIET_MS = 50;

/**
 * Gives a wait until nobody has asked anything for a moment, or for `ms` at most. A connection that is closed between two requests may be closed under
 * the second one, which then has no answer and may have been done or not; a refusal that closes the connection leaves no doubt.
 */
export function watchAsking(server: Server): (ms: number) => Promise<void> {
  let askedAt = Number.NEGATIVE_INFINITY;
  server.on('request', () => (askedAt = monotonicNow()));
  return async (ms) => {
    const until = monotonicNow() + ms;
    for (;;) {
      const left = Math.min(askedAt + QUIET_MS, until) - monotonicNow();
      if (left <= 0) return;
      await pause(left);
      // Where something held this process up, what came meanwhile is read only after timers.
      await turn();
    }
  };
}
