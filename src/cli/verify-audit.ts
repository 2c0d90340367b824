import { type Difference, verifySeals } from '../modules/events/index.ts';
import { readConfig } from '../platform/config/index.ts';
import { openPglite, openPostgres } from '../platform/db/index.ts';

const KINDS: Readonly<Record<Difference['kind'], string>> = {
  EVENT_CHANGED: 'an event was changed',
  EVENT_REMOVED: 'an event was removed',
  EVENT_INSERTED: 'an event was inserted',
  SEAL_CHANGED: 'the seal was changed',
  SEAL_REMOVED: 'the seal was removed',
};

/** Verifies the audit trail in the database of the settings and says what was found; gives the exit code. */
export async function verifyAudit(): Promise<number> {
  const config = readConfig();
  const database =
    config.DATABASE_URL === undefined
      ? await openPglite(config.POSTHORN_DATA_DIR)
      : await openPostgres(config.DATABASE_URL, config.DATABASE_POOL);
  try {
    const result = await verifySeals(database.db);
    if (result.ok) {
      const { seals, events, lastPosition, hash, unsealed } = result;
      console.log(`${events} events under ${seals} seals are as they were, up to position ${lastPosition}`);
      console.log(`${unsealed} events are not sealed yet`);
      if (hash !== '') console.log(`seal ${seals}: ${hash}`);
      return 0;
    }
    const { kind, seal } = result.difference;
    console.log(`seal ${seal.number} (positions ${seal.firstPosition} to ${seal.lastPosition}): ${KINDS[kind]}`);
    return 1;
  } finally {
    await database.close();
  }
}
