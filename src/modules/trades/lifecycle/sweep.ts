import { inTransaction } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import { applyDecision } from './apply.ts';
import { endDue } from './decide.ts';
import type { TradeDeps } from './reactions.ts';
import { lockTrade, selectDue } from './trade-store.ts';

/** Trades per step, each in a transaction of its own. */
const PORTION = 100;
const EVERY_MS = 1000;

/**
 * Ends trades whose reservations or hold have run out. What is due is in the database: a restart, or another node, goes on with it,
 * and of two nodes at one trade the second finds it ended. A trade that cannot be ended stops no other.
 */
export const createSweep = (
  { db, clock, newId, log }: Pick<Platform, 'db' | 'clock' | 'newId' | 'log'>,
  { publish }: Pick<TradeDeps, 'publish'>,
): Loop => ({
  name: 'trades.sweep',
  everyMs: EVERY_MS,
  async step() {
    const now = new Date(clock.now());
    const due = await selectDue(db, now, PORTION);
    let failed = 0;
    for (const id of due) {
      try {
        await inTransaction(db, async (trx) => {
          const trade = await lockTrade(trx, id);
          const decision = trade && endDue(trade, now);
          // Another node was faster, or a payment.
          if (!trade || !decision || 'refused' in decision) return;
          const event = trade.dueEventId === null ? {} : { event: { id: trade.dueEventId } };
          const env = { now, newId, requestId: `sweep-${newId()}` };
          await applyDecision(trx, { trade, decision, trigger: { cause: 'time-out', ...event } }, publish, env);
        });
      } catch (err) {
        failed++;
        log.error({ err, tradeSessionId: id }, 'a trade whose time has run out could not be ended; it is tried again');
      }
    }
    return due.length === PORTION && failed === 0;
  },
});
