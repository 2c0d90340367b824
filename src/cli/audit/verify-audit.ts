import { type Difference, hasLog, type KnownSeal, verifySeals } from '../../modules/events/index.ts';
import { readConfig } from '../../platform/config/index.ts';
import { printJson } from '../output/print.ts';
import { type Database, holdsPglite, openPglite, openPostgres, postgresOptions } from '../../platform/db/index.ts';

const KINDS: Readonly<Record<Difference['kind'], string>> = {
  EVENT_CHANGED: 'an event was changed',
  EVENT_REMOVED: 'an event was removed',
  EVENT_INSERTED: 'an event was inserted',
  SEAL_CHANGED: 'the seal was changed',
  SEAL_REMOVED: 'the seal was removed',
  SEAL_REPLACED: 'the seal is not the one that was expected',
};

/** Exit codes, as of `diff`: as it was, not as it was, nobody knows. */
const [SAME, DIFFERENT, TROUBLE] = [0, 1, 2];

/** The database of the settings, never a new one. */
function openDatabase(): Promise<Database> {
  const config = readConfig();
  const { DATABASE_URL, DATABASE_POOL, POSTHORN_DATA_DIR } = config;
  if (DATABASE_URL !== undefined) return openPostgres(DATABASE_URL, DATABASE_POOL, postgresOptions(config));
  if (!holdsPglite(POSTHORN_DATA_DIR)) throw new Error(`there is no database in ${POSTHORN_DATA_DIR}`);
  return openPglite(POSTHORN_DATA_DIR);
}

const settingOf = (): string => (readConfig().DATABASE_URL === undefined ? 'POSTHORN_DATA_DIR' : 'DATABASE_URL');

async function verify(expected: KnownSeal | undefined, json: boolean): Promise<number> {
  const database = await openDatabase();
  try {
    if (!(await hasLog(database.db)))
      throw new Error(
        `the database of ${settingOf()} has no tables of Posthorn that its role may see: is it the right one?`,
      );
    const result = await verifySeals(database.db, expected);
    if (json) {
      printJson(result);
      return result.ok ? SAME : DIFFERENT;
    }
    if (result.ok) {
      const { seals, events, lastPosition, hash, unsealed } = result;
      console.log(`${events} events under ${seals} seals are as they were, up to position ${lastPosition}`);
      console.log(`${unsealed} events are not sealed yet`);
      if (hash !== '') console.log(`seal ${seals}: ${hash}`);
      return SAME;
    }
    const { kind, seal } = result.difference;
    console.log(`seal ${seal.number} (positions ${seal.firstPosition} to ${seal.lastPosition}): ${KINDS[kind]}`);
    return DIFFERENT;
  } finally {
    await database.close();
  }
}

/** Verifies the audit trail in the database of the settings and says what was found; gives the exit code. */
export async function verifyAudit(expected?: KnownSeal, json = false): Promise<number> {
  try {
    return await verify(expected, json);
  } catch (error) {
    console.error(`posthorn: not verified: ${(error as Error).message}`);
    return TROUBLE;
  }
}
