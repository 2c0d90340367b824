import { after } from 'node:test';
import { Client } from 'pg';
import { systemClock } from '../../src/lib/clock.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { type Database, loadMigrations, migrate, openPglite, openPostgres } from '../../src/platform/db/index.ts';

/** Which database this run of the suite uses: scripts/test.ts runs it once with each. */
export const testDb: 'pglite' | 'postgres' = process.env.TEST_DB === 'postgres' ? 'postgres' : 'pglite';

const adminUrl = (): string => process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

async function admin(statement: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The address of a new empty PostgreSQL database, dropped after the test file. */
export async function emptyPostgres(): Promise<string> {
  const name = `posthorn_test_${uuidv7(systemClock.now()).replaceAll('-', '')}`;
  await admin(`create database ${name}`);
  after(() => admin(`drop database if exists ${name} with (force)`));
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** A new empty database of the run's kind, without schema; closed and removed after the test file. */
export async function emptyDatabase(): Promise<Database> {
  const database = testDb === 'postgres' ? await openPostgres(await emptyPostgres(), 8) : await openPglite();
  let open = true;
  const close = database.close.bind(database);
  database.close = async () => {
    if (open) await close();
    open = false;
  };
  after(() => database.close());
  return database;
}

/** A migrated database of the run's kind, alone for the calling test file. */
export async function withDatabase(): Promise<Database> {
  const database = await emptyDatabase();
  await migrate(database.db, await loadMigrations());
  return database;
}
