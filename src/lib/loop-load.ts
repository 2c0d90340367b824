import type { EventLoopUtilization } from 'node:perf_hooks';
import { monotonicNow } from './clock.ts';

/** A load is that of the last so many milliseconds, or of the time since it was last asked for. */
const WINDOW_MS = 250;

/**
 * How busy an event loop is: the part of its time in which it did not wait for anything, 0 to 1. Asked for at any time, looked at four times a
 * second. A loop that waits for a core counts as busy, as for what it has to do it is. `read`: since its beginning, as `performance.eventLoopUtilization` says it.
 */
export function loadOf(
  read: () => Pick<EventLoopUtilization, 'idle' | 'active'>,
  now: () => number = monotonicNow,
): () => number {
  let last = read();
  let lookedAt = now();
  let load = 0;
  return () => {
    const at = now();
    if (at - lookedAt < WINDOW_MS) return load;
    const { idle, active } = read();
    const passed = idle - last.idle + active - last.active;
    load = passed > 0 ? (active - last.active) / passed : 0;
    last = { idle, active };
    lookedAt = at;
    return load;
  };
}
