import { monotonicNow } from '../../lib/clock.ts';
import type { Loop } from './loop.ts';

/** On other nodes a poll looks this often. Milliseconds. */
const ELSEWHERE_EVERY_MS = 10_000;

/**
 * The loop polls on the node that is the one for it, as `isHere` says before each poll; on others every ten seconds, so that nothing
 * is left undone while there is no such node, or while it hangs. Woken, it steps everywhere. For what several nodes may do at once,
 * and one is enough to look for: that each worker looks each second is a tenth of what one costs that has nothing to do (measured).
 */
export function pollsWhere(
  isHere: () => boolean | Promise<boolean>,
  loop: Loop,
  now: () => number = monotonicNow,
): Loop {
  let steppedAt = Number.NEGATIVE_INFINITY;
  return {
    ...loop,
    async step(polled) {
      if (polled && now() - steppedAt < ELSEWHERE_EVERY_MS && !(await isHere())) return false;
      // One that failed, woken too, is repeated by the next poll.
      steppedAt = Number.NEGATIVE_INFINITY;
      const more = await loop.step(polled);
      steppedAt = now();
      return more;
    },
  };
}
