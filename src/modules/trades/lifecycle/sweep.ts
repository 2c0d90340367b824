import { AppError } from '../../../contracts/errors.ts';
import { inTransaction, isCutShort, isDatabaseAway, type Trx } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import { getEvent, type LoggedEvent } from '../../events/index.ts';
import { applyDecision, type TradeDeps } from './apply.ts';
import { endDue } from './decide.ts';
import { lockTrade, selectDue } from './trade-store.ts';

/** Trades per step, each in a transaction of its own. */
const PORTION = 100;
const EVERY_MS = 1000;
/** One that could not be ended is tried again after this, so that a hundred such do not hold up the others. Milliseconds. */
const AGAIN_MS = 30_000;

/** The event by which a time began. Null where the log has lost it, as one that was restored without its end: the trade ends without a cause. */
const beganBy = (trx: Trx, eventId: string): Promise<LoggedEvent | null> =>
  getEvent(trx, eventId, 'all').catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });

/**
 * Ends trades whose reservations or hold have run out, by the database's clock as well as by the node's. What is due is in the database: a restart, or another node, goes on with it,
 * and of two nodes at one trade the second finds it ended.
 */
export function createSweep(
  { db, leastTime, newId, log }: Pick<Platform, 'db' | 'leastTime' | 'newId' | 'log'>,
  { publishAll }: Pick<TradeDeps, 'publishAll'>,
): Loop {
  /** Trades that could not be ended, with when they are tried again. */
  const failing = new Map<string, number>();

  const end = (id: string, now: Date): Promise<boolean> =>
    inTransaction(db, async (trx) => {
      // One that something else is moving now is looked at again by the next step.
      const trade = await lockTrade(trx, id, { skipLocked: true });
      const decision = trade && endDue(trade, now);
      // Another node was faster, or a payment.
      if (!trade || !decision || 'refused' in decision) return false;
      const event = trade.dueEventId === null ? null : await beganBy(trx, trade.dueEventId);
      const env = { now, newId, requestId: `sweep-${newId()}` };
      const began = event && { event, seenBy: event.accountIds };
      await applyDecision(trx, { trade, decision, trigger: { cause: 'time-out', ...began } }, publishAll, env);
      return true;
    });

  return {
    name: 'trades.sweep',
    everyMs: EVERY_MS,
    async step() {
      const now = new Date(await leastTime());
      for (const [id, again] of failing) if (again <= now.getTime()) failing.delete(id);
      const due = (await selectDue(db, now, PORTION + failing.size)).filter((id) => !failing.has(id));
      let ended = 0;
      for (const id of due) {
        const isEnded = await end(id, now).catch((err: unknown) => {
          if (isDatabaseAway(err) && !isCutShort(err)) throw err;
          failing.set(id, now.getTime() + AGAIN_MS);
          log.error(
            { err, tradeSessionId: id },
            'a trade whose time has run out could not be ended; it is tried again',
          );
          return true;
        });
        if (isEnded) ended++;
      }
      return due.length >= PORTION && ended > 0;
    },
  };
}
