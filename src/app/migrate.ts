import { readConfig } from '../platform/config/index.ts';
import { loadMigrations, migrate } from '../platform/db/index.ts';
import { openDatabase } from './deps.ts';

/** `npm run migrate`: brings the schema up to date without starting the service, for deployments that do it as a step. */
try {
  const database = await openDatabase(readConfig());
  try {
    const applied = await migrate(database.db, await loadMigrations());
    console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
  } finally {
    await database.close();
  }
} catch (error) {
  console.error(`The schema was not changed: ${(error as Error).message}`);
  process.exitCode = 1;
}
