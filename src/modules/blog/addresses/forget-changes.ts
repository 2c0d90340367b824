import { type Db, inTransaction } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import { forgetChanges } from './store.ts';

/** Who asks for what changed since an earlier time gets everything. Milliseconds: 30 days. */
export const KEPT_MS = 30 * 24 * 3_600_000;
/** Per transaction, during which nothing is published. */
const PORTION = 1000;
const EVERY_MS = 10 * 60_000;

/** Forgets one portion of the changes of the index that are older than `KEPT_MS`. False when none is left. */
export const forgetOnce = (db: Db, now: Date): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const forgotten = await forgetChanges(trx, new Date(now.getTime() - KEPT_MS), PORTION);
    return forgotten === PORTION;
  });

/** Runs by itself on every node that does background work. */
export const forgetLoop = ({ db, leastTime }: Pick<Platform, 'db' | 'leastTime'>): Loop => ({
  name: 'blog-forget-index-changes',
  everyMs: EVERY_MS,
  step: async () => forgetOnce(db, new Date(await leastTime())),
});
