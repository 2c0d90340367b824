import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, openAsBlob } from 'node:fs';
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PGlite } from '@electric-sql/pglite';
import { type Database, loadMigrations, openPglite } from '../../src/platform/db/index.ts';
import { createPglite, embeddedDatabase } from '../../src/platform/db/open.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { weekOf } from '../../src/modules/webhooks/storage/weeks.ts';
import { cleanup } from './cleanup.ts';
import { makeMigrated } from './migrated.ts';
import { RewindablePool } from './rewindable.ts';

/** A tar file is made of blocks of so many bytes. */
const BLOCK = 512;
/** What makes the parts of deliveries. */
const MADE_BY = 'src/modules/webhooks/storage/*.ts';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Databases that every cluster has beside ours (`template1`, `template0`): half of its files, and nobody connects to them. */
const UNUSED = /^\/?base\/[14]\/./;

/** A tar file without the entries of these names. */
function withoutEntries(tar: Buffer, names: RegExp): Buffer {
  const kept: Buffer[] = [];
  const text = (at: number, length: number): string => tar.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; at < tar.length; ) {
    const size = Number.parseInt(text(at + 124, 12) || '0', 8);
    const end = at + BLOCK * (1 + Math.ceil(size / BLOCK));
    if (!names.test(text(at, 100))) kept.push(tar.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/**
 * An embedded database as a file, made by the first test process that needs it: to begin from it takes a tenth of the
 * time of making a new one. Its name holds what it is made of, the week among it, which migrations divide deliveries by.
 */
export async function template(kind: 'empty' | 'migrated'): Promise<string> {
  const version = await readFile(new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url));
  const digest = createHash('sha256').update(version).update(UNUSED.source).update(kind);
  if (kind === 'migrated') {
    digest.update((await loadMigrations()).map((m) => m.checksum).join()).update(String(weekOf(systemClock.now())));
    for (const source of globSync(MADE_BY, { cwd: ROOT }).toSorted()) digest.update(await readFile(join(ROOT, source)));
  }
  const file = join(tmpdir(), `posthorn-template-${digest.digest('hex').slice(0, 24)}.tar`);
  if (existsSync(file)) return file;
  const database = await openPglite();
  if (kind === 'migrated') await makeMigrated(database.db);
  const dump = (await database.dump?.()) as Blob;
  await database.close();
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, withoutEntries(Buffer.from(await dump.arrayBuffer()), UNUSED));
  // Never in the place of another: who has begun to read that one could not go on.
  await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(unfinished);
  return file;
}

/**
 * PGlite waits on nothing that keeps a process running. While a file waits for one before its first test, node:test
 * would take the run for ended, and call the `after` hooks too early.
 */
export async function keptRunning<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 1000);
  return promise.finally(() => clearInterval(timer));
}

const open = async (file: string): Promise<PGlite> => createPglite({ loadDataDir: await openAsBlob(file) });

/** A new PGlite without a table of ours. */
export const openEmpty = async (): Promise<PGlite> => open(await template('empty'));

const pools = new Map<string, RewindablePool>();

/** A new embedded database in memory, empty or migrated. Where files share a process, it may be one of a file before, as it was at first. */
export async function fromTemplate(kind: 'empty' | 'migrated'): Promise<Database> {
  const file = await template(kind);
  if (process.env.TEST_SHARED === undefined) return embeddedDatabase(await open(file));
  let pool = pools.get(file);
  if (pool === undefined) pools.set(file, (pool = new RewindablePool(() => open(file))));
  return embeddedDatabase(await pool.take());
}

/** A folder for a service's own embedded database, migrated; removed after the test file. */
export async function migratedDataDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-data-'));
  cleanup(() => rm(dir, { recursive: true, force: true }));
  const inner = join(dir, 'pglite');
  await mkdir(inner, { mode: 0o700 });
  const from = await keptRunning(template('migrated'));
  await promisify(execFile)('tar', ['-xf', from, '-C', inner]);
  return dir;
}
