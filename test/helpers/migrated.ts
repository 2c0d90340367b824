import { systemClock } from '../../src/lib/clock.ts';
import { Keeper } from '../../src/modules/webhooks/storage/keeper.ts';
import { type Db, loadMigrations, migrate } from '../../src/platform/db/index.ts';
import { createLog } from '../../src/platform/log/log.ts';

/**
 * Makes an empty database what it is once a service has begun on it: with every migration, and with the parts that deliveries of the next weeks go into. Others are
 * copied from it; to make the parts is half of what starting a service on an embedded one takes.
 */
export async function makeMigrated(db: Db): Promise<void> {
  await migrate(db, await loadMigrations());
  await new Keeper({
    db,
    clock: systemClock,
    log: createLog('silent'),
    reader: 'webhook-fan-out',
    retentionDays: 0,
    deadLetterDays: 0,
  }).step();
}
