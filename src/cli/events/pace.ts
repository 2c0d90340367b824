import { setTimeout as wait } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';
import { interruption } from '../interrupt.ts';

/** Requests a minute: the service takes 600 of one caller, who has other things to ask meanwhile. */
const A_MINUTE = 240;
const EVERY_MS = 60_000 / A_MINUTE;
/** May pass together after a pause. */
const AT_ONCE = 10;

/** Lets whoever waits for it pass, at most 240 times a minute and ten more; ends with Ctrl-C by throwing. */
export function pace(): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = monotonicNow();
    next = Math.max(next + EVERY_MS, now - AT_ONCE * EVERY_MS);
    if (next > now) await wait(next - now, undefined, { signal: interruption });
  };
}
