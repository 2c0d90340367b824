import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { CompiledQuery, sql } from 'kysely';
import type { Db, Trx } from './types.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);
/** Any constant does, as long as every version of the code uses the same. */
const LOCK = 4_772_019_116;

/** A statement that begins so may take as long as it needs: open.ts gives it no timeout. */
export const UNHURRIED = '/*unhurried*/';

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The migrations of this version of the code, in order of name (`0001-accounts.sql`, …). */
export async function loadMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((n) => n.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, sql: text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Statements of a migration file. They are split at `;` at a line's end, except inside `$$` bodies. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current: string[] = [];
  let dollar = false;
  for (const line of text.split('\n')) {
    if (!dollar && (line.trim() === '' || line.trimStart().startsWith('--'))) continue;
    current.push(line);
    if ((line.match(/\$\$/g)?.length ?? 0) % 2 === 1) dollar = !dollar;
    if (!dollar && /;\s*(--.*)?$/.test(line)) {
      statements.push(current.join('\n'));
      current = [];
    }
  }
  if (current.length > 0) statements.push(current.join('\n'));
  return statements;
}

async function applied(trx: Trx): Promise<Map<string, string>> {
  await sql`create table if not exists schema_migrations
    (name text primary key, checksum text not null, applied_at timestamptz not null default now())`.execute(trx);
  const rows = await trx.selectFrom('schema_migrations').select(['name', 'checksum']).orderBy('name').execute();
  return new Map(rows.map((r) => [r.name, r.checksum]));
}

/**
 * Brings the database to this version's schema: forward only, all in one transaction, under a lock so that nodes that
 * start together do it once. Throws MigrationError on a database newer than the code, and on an applied file that has
 * been edited since. No statement has a time limit. Returns the names applied now.
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    // A change of a big table takes minutes, and another node that makes it is waited for.
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`${sql.raw(UNHURRIED)} select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx);
    const done = await applied(trx);
    const known = new Map(migrations.map((m) => [m.name, m]));
    for (const [name, checksum] of done) {
      const mine = known.get(name);
      if (!mine) {
        throw new MigrationError(
          `the database is newer than this version of Posthorn: it has the migration ${name}, which this version does not know. Start a version at least as new as the one that wrote it.`,
        );
      }
      if (mine.checksum !== checksum) {
        throw new MigrationError(`the migration ${name} was edited after it was applied; add a new one instead.`);
      }
    }
    const now: string[] = [];
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      for (const statement of splitStatements(migration.sql))
        await trx.executeQuery(CompiledQuery.raw(`${UNHURRIED} ${statement}`));
      await trx
        .insertInto('schema_migrations')
        .values({ name: migration.name, checksum: migration.checksum, applied_at: sql<Date>`now()` })
        .execute();
      now.push(migration.name);
    }
    return now;
  });
}

/** How far a database is, by the names of migrations. */
export interface MigrationState {
  applied: number;
  /** Not applied yet. */
  pending: string[];
  /** Applied by a newer version of the code. */
  unknown: string[];
  /** Edited since they were applied. */
  edited: string[];
}

/** Compares a database with the migrations of this version; changes nothing, also on a database without any. */
export async function migrationState(db: Db, migrations: readonly Migration[]): Promise<MigrationState> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('schema_migrations') is not null as exists`.execute(db);
  const done = rows[0]?.exists ? await db.selectFrom('schema_migrations').select(['name', 'checksum']).execute() : [];
  const checksums = new Map(done.map(({ name, checksum }) => [name, checksum]));
  const known = new Set(migrations.map(({ name }) => name));
  return {
    applied: checksums.size,
    pending: migrations.filter(({ name }) => !checksums.has(name)).map(({ name }) => name),
    unknown: done.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    edited: migrations
      .filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
      .map(({ name }) => name),
  };
}
