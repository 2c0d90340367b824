import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { systemClock } from '../../src/lib/clock.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { type Database, loadMigrations, migrate, openPglite, openPostgres } from '../../src/platform/db/index.ts';
import type { Migration } from '../../src/platform/db/migrate.ts';
import { cleanup } from './cleanup.ts';

/** Which database this run of the suite uses: scripts/test.ts runs it once with each. */
export const testDb: 'pglite' | 'postgres' = process.env.TEST_DB === 'postgres' ? 'postgres' : 'pglite';

/** For tests of what is concurrent: the embedded database has one connection. */
export const onlyPostgres = { skip: testDb !== 'postgres' && 'needs several connections' } as const;

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

/**
 * An embedded database as a file, made by the first test process that needs it: to begin from it takes a tenth of the
 * time of making a new one. Its name holds what it is made of, so it is never out of date.
 */
async function template(migrations: readonly Migration[]): Promise<string> {
  const version = await readFile(new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url));
  const digest = createHash('sha256')
    .update(version)
    .update(migrations.map((m) => m.checksum).join());
  const file = join(tmpdir(), `posthorn-template-${digest.digest('hex').slice(0, 24)}.tar`);
  if (existsSync(file)) return file;
  const database = await openPglite();
  if (migrations.length > 0) await migrate(database.db, migrations);
  const dump = (await database.dump?.()) as Blob;
  await database.close();
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()));
  await rename(unfinished, file);
  return file;
}

/**
 * PGlite waits on nothing that keeps a process running. While a file waits for one before its first test, node:test
 * would take the run for ended, and call the `after` hooks too early.
 */
async function keptRunning<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 1000);
  return promise.finally(() => clearInterval(timer));
}

const fromTemplate = async (migrations: readonly Migration[]): Promise<Database> =>
  openPglite(undefined, await openAsBlob(await template(migrations)));

/** A folder for a service's own embedded database, migrated; removed after the test file. */
export async function migratedDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-data-'));
  cleanup(() => rm(dir, { recursive: true, force: true }));
  const inner = join(dir, 'pglite');
  await mkdir(inner, { mode: 0o700 });
  const from = await keptRunning(loadMigrations().then(template));
  await promisify(execFile)('tar', ['-xf', from, '-C', inner]);
  return dir;
}

/** The address of a new migrated PostgreSQL database; dropped after the test file. */
export async function migratedPostgres(): Promise<string> {
  // scripts/test.ts has migrated one to copy from.
  const ready = process.env.TEST_DATABASE_TEMPLATE;
  const url = await emptyPostgres(ready);
  if (ready !== undefined) return url;
  const database = await openPostgres(url, 1);
  await migrate(database.db, await loadMigrations());
  await database.close();
  return url;
}

/** A new empty database of the run's kind, without a table of ours; closed and removed after the test file. */
export async function emptyDatabase(): Promise<Database> {
  if (testDb === 'pglite') return closedAfter(await keptRunning(fromTemplate([])));
  return closedAfter(await openPostgres(await emptyPostgres(), 8));
}

/** A migrated database of the run's kind, alone for the calling test file. */
export async function withDatabase(): Promise<Database> {
  if (testDb === 'pglite') return closedAfter(await keptRunning(loadMigrations().then(fromTemplate)));
  return closedAfter(await openPostgres(await migratedPostgres(), 8));
}
