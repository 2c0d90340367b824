import { systemClock } from '../../../lib/clock.ts';
import type { Config } from '../../../platform/config/index.ts';
import {
  type Database,
  databaseTime,
  holdsPglite,
  loadMigrations,
  migrationState,
  openPglite,
  openPostgres,
  postgresOptions,
} from '../../../platform/db/index.ts';
import { clockFinding } from '../clock-finding.ts';
import { checkConnections } from './check-connections.ts';
import { checkEncryption } from './check-encryption.ts';
import { checkParts } from './check-parts.ts';
import { checkPooler } from './check-pooler.ts';
import { checkRights } from './check-rights.ts';
import { checkReplica } from './check-replica.ts';
import { checkSpace, hintOf } from './check-space.ts';
import { checkSecrets } from './check-secrets.ts';
import { fail, type Finding, ok, warn } from '../finding.ts';
import { serverVersion } from './store.ts';

const WHAT = 'database';

async function schemaFinding({ db }: Database): Promise<Finding> {
  const what = 'migrations';
  const state = await migrationState(db, await loadMigrations());
  if (state.unknown.length > 0) {
    const todo = 'start a version of Posthorn that is at least as new as the database';
    return fail(what, `the database is newer than this version: it has ${state.unknown.join(', ')}`, todo);
  }
  if (state.edited.length > 0) {
    return fail(what, `edited after they were applied: ${state.edited.join(', ')}`, 'restore the files of migrations/');
  }
  if (state.pending.length > 0) {
    return warn(
      what,
      `${state.pending.length} are not applied yet`,
      'the next start applies them, or "npm run migrate"',
    );
  }
  return ok(what, `all ${state.applied} are applied`);
}

async function clock({ db }: Database): Promise<Finding> {
  const before = systemClock.now();
  const theirs = await databaseTime(db);
  return clockFinding('clock, against the database', theirs, (before + systemClock.now()) / 2, 0);
}

async function look(database: Database, config: Config): Promise<Finding[]> {
  const { db, kind } = database;
  const where = kind === 'postgres' ? 'DATABASE_URL' : config.POSTHORN_DATA_DIR;
  const name = kind === 'postgres' ? 'PostgreSQL' : 'embedded PGlite';
  const version = ok(WHAT, `${name} ${await serverVersion(db)} answers (${where})`);
  const schema = await schemaFinding(database);
  // Of tables that are all there.
  const inside = schema.state === 'ok' ? [await checkSecrets(db, config), ...(await checkParts(db, config))] : [];
  const [pooler, replica] = [await checkPooler(database, config), await checkReplica(database, config)];
  const connections = await checkConnections(database, config);
  return [
    version,
    ...(await checkEncryption(config)),
    ...(await checkRights(db)),
    ...(await checkSpace(database)),
    ...connections,
    ...pooler,
    schema,
    ...inside,
    await clock(database),
    ...replica,
  ];
}

/** The database of the settings: whether it answers, what is applied to it, and its clock. Makes no database, and applies nothing. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { DATABASE_URL: url, POSTHORN_DATA_DIR: dir } = config;
  if (url === undefined && !holdsPglite(dir)) {
    return [
      warn(WHAT, `there is none in ${dir} yet`, 'the first start makes it; or set DATABASE_URL or POSTHORN_DATA_DIR'),
    ];
  }
  let database: Database;
  try {
    const options = { ...postgresOptions(config), connectTimeoutMs: 5000 };
    database = url === undefined ? await openPglite(dir) : await openPostgres(url, 2, options);
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'DataDirInUseError') return [ok(WHAT, `embedded PGlite in ${dir}, in use by a service that runs`)];
    const todo =
      url === undefined
        ? `give this user the right to write to ${dir}, and its disk room; else restore it from a backup`
        : hintOf(error);
    return [fail(WHAT, message, todo)];
  }
  try {
    return await look(database, config);
  } catch (error) {
    return [fail(WHAT, (error as Error).message, 'the log of the database server has more')];
  } finally {
    await database.close();
  }
}
