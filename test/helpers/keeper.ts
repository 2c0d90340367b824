import type { Clock } from '../../src/lib/clock.ts';
import { Keeper } from '../../src/modules/webhooks/storage/keeper.ts';
import { type Db, databaseTime } from '../../src/platform/db/index.ts';
import { createLog } from '../../src/platform/log/log.ts';

/** A keeper for whom all that is there now is past its retention, and who moves what is kept by two. */
export async function keeperOfThePast(db: Db, clock: Pick<Clock, 'now'>): Promise<Keeper> {
  const later = Math.max(clock.now(), await databaseTime(db)) + 100 * 86_400_000;
  return new Keeper({
    db,
    clock,
    log: createLog('silent'),
    reader: 'webhook-fan-out',
    retentionDays: 90,
    deadLetterDays: 365,
    portion: 2,
    time: () => later,
  });
}
