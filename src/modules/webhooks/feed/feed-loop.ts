import type { Clock } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { discardPulled } from './store.ts';

/** How often is looked for what was held after it had been read. Milliseconds. */
const EVERY_MS = 30_000;
/** Rows per statement: none is locked for longer than some tens of milliseconds. */
const PORTION = 2000;

export interface FeedLoop {
  loop: Loop;
  /** Something was acknowledged. */
  wake: () => void;
}

/** Ends what is held and was read from a feed, portion by portion, also what the fan-out holds later. */
export function createFeedLoop({ db, clock }: { db: Db; clock: Clock }, portion = PORTION): FeedLoop {
  let wakeLoop = (): void => undefined;
  return {
    wake: () => wakeLoop(),
    loop: {
      name: 'webhook-feed',
      everyMs: EVERY_MS,
      attach: (fn) => (wakeLoop = fn),
      step: async () => (await discardPulled(db, { limit: portion, now: new Date(clock.now()) })) > 0,
    },
  };
}
