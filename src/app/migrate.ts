import { readConfig } from '../platform/config/index.ts';
import { loadMigrations, MigrationError, migrate } from '../platform/db/index.ts';
import { openDatabase } from './deps.ts';
import { endWhileStarting } from './end-while-starting.ts';
import { openLog } from './open-log.ts';

/** `npm run migrate`: brings the schema up to date without starting the service, for deployments that do it as a step. */
const STOPPED = 'run it again for the rest (an index that is made beside writers is made to its end by the server)';
endWhileStarting((signal) => console.error(`Stopped by ${signal}: ${STOPPED}`), 1);
try {
  const config = readConfig();
  const log = openLog(config);
  const database = await openDatabase(config, log);
  try {
    const applied = await migrate(database.db, await loadMigrations(), {
      connect: database.connect,
      log,
    });
    console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
  } finally {
    await database.close();
  }
} catch (error) {
  const isPart = error instanceof MigrationError && error.applied.length > 0;
  console.error(`The schema was ${isPart ? 'changed in part' : 'not changed'}: ${(error as Error).message}`);
  // An embedded database that ended by itself while it was opened leaves a timer, for which a step of a deployment would wait for ever.
  process.exit(1);
}
