import { pollsWhere } from '../../platform/loop/polls-where.ts';
import { purging } from '../../platform/loop/purging.ts';
import type { Module, Platform } from '../../platform/platform.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Events } from '../events/index.ts';
import type { TimelineDeps } from './get-trade.ts';
import type { InboundDeps } from './inbound/list-reports.ts';
import { ReportLog } from './inbound/report-log.ts';
import { deleteIdle } from './inbound/report-store.ts';
import { inboundRoutes } from './inbound/routes.ts';
import { TRADE_CANCELLATION, tradeReactions } from './reactions/reactions.ts';
import { createSweep } from './lifecycle/sweep.ts';
import { tradeRoutes } from './routes.ts';

const MINUTE_MS = 60_000;

export interface TradesDeps extends InboundDeps, TimelineDeps {
  events: Pick<Events, 'publishAll' | 'react' | 'runsElsewhere'>;
  secretsOf: Accounts['secretsOf'];
}

/** Trades: what becomes of accepted offers, by events, by reports of merchants, and by time. docs/trades.md. */
export function createTrades(platform: Platform, { events, ...deps }: TradesDeps): { module: Module } {
  const { config, cipher, ownClock, db } = platform;
  const trades = {
    publishAll: events.publishAll,
    latestTime: platform.latestTime,
    times: {
      holdMs: config.TRADE_HOLD_MINUTES * MINUTE_MS,
      reservationMs: config.TRADE_RESERVATION_MINUTES * MINUTE_MS,
    },
  };
  const purge = purging({
    name: 'trades.purge-reports',
    db,
    days: config.RECORD_RETENTION_DAYS,
    remove: (before, portion) => deleteIdle(db, before, portion),
  });
  // By the node that ends trades for another reason as well.
  const sweep = pollsWhere(
    async () => !(await events.runsElsewhere(TRADE_CANCELLATION)),
    createSweep(platform, trades),
  );
  return {
    module: {
      name: 'trades',
      routes: [
        ...inboundRoutes({
          ...deps,
          ...trades,
          cipher,
          ownClock,
          bodyLimit: config.BODY_LIMIT_BYTES,
          log: new ReportLog(),
        }),
        ...tradeRoutes({ ...deps, ...trades }),
      ],
      loops: [...tradeReactions(trades).map((reaction) => events.react(reaction)), sweep, purge],
    },
  };
}
