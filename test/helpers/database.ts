import { systemClock } from '../../src/lib/clock.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { type Database, openPostgres } from '../../src/platform/db/index.ts';
import { rowsOf } from './ask.ts';
import { cleanup } from './cleanup.ts';
import { fromTemplate, keptRunning } from './embedded.ts';
import { makeMigrated } from './migrated.ts';

/** Which database this run of the suite uses: scripts/test.ts runs it once with each. */
export const testDb: 'pglite' | 'postgres' = process.env.TEST_DB === 'postgres' ? 'postgres' : 'pglite';

/** For tests of what is concurrent: the embedded database has one connection. */
export const onlyPostgres = { skip: testDb !== 'postgres' && 'needs several connections' } as const;

const adminUrl = (): string => process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

const admin = (statement: string): Promise<unknown> => rowsOf(adminUrl(), statement);

/** The address of a new PostgreSQL database, empty or a copy of `template`; dropped after the test file. */
export async function emptyPostgres(template?: string): Promise<string> {
  const name = `posthorn_test_${uuidv7(systemClock.now()).replaceAll('-', '')}`;
  await admin(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  cleanup(() => admin(`drop database if exists ${name} with (force)`));
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** Closed after the test file, unless the test did. */
function closedAfter(database: Database): Database {
  let open = true;
  const close = database.close.bind(database);
  database.close = async () => {
    if (open) await close();
    open = false;
  };
  cleanup(() => database.close());
  return database;
}

/** The address of a new migrated PostgreSQL database; dropped after the test file. */
export async function migratedPostgres(): Promise<string> {
  // scripts/test.ts has migrated one to copy from.
  const ready = process.env.TEST_DATABASE_TEMPLATE;
  const url = await emptyPostgres(ready);
  if (ready !== undefined) return url;
  const database = await openPostgres(url, 1);
  await makeMigrated(database.db);
  await database.close();
  return url;
}

/** A new empty database of the run's kind, without a table of ours; closed and removed after the test file. */
export async function emptyDatabase(): Promise<Database> {
  if (testDb === 'pglite') return closedAfter(await keptRunning(fromTemplate('empty')));
  return closedAfter(await openPostgres(await emptyPostgres(), 8));
}

/** A migrated database of the run's kind, alone for the calling test file. */
export async function withDatabase(): Promise<Database> {
  if (testDb === 'pglite') return closedAfter(await keptRunning(fromTemplate('migrated')));
  return closedAfter(await openPostgres(await migratedPostgres(), 8));
}
