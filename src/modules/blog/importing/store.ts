import { sql } from 'kysely';
import type { Trx } from '../../../platform/db/index.ts';
import { type BlogTables, blogTables } from '../tables.ts';

export type ImportRow = BlogTables['post_imports'];

/** Any constant does, as long as every version of the code uses the same. */
const LOCK = 4_772_019_118;

/** Imports go one after the other: each holds many slugs, and two that hold some of each other's would never end. */
export async function lockImports(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx);
}

/** What earlier runs made of these sources. */
export async function findImports(trx: Trx, sources: readonly string[]): Promise<Map<string, ImportRow>> {
  const rows = await blogTables(trx)
    .selectFrom('post_imports')
    .selectAll()
    .where('source', '=', sql<string>`any(${sources}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.source, row]));
}

export async function saveImport(trx: Trx, row: ImportRow): Promise<void> {
  const { source, ...rest } = row;
  await blogTables(trx)
    .insertInto('post_imports')
    .values({ source, ...rest })
    .onConflict((oc) => oc.column('source').doUpdateSet(rest))
    .execute();
}

/** Ids of the users with a blog role who have these e-mail addresses (lower case), by address. */
export async function findWriters(trx: Trx, emails: readonly string[]): Promise<Map<string, string>> {
  const rows = await blogTables(trx)
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', '=', sql<string>`any(${emails}::text[])`)
    .where('blog_role', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ id, email }) => (email === null ? [] : [[email, id] as const])));
}

/** Slugs of the post, the present one and those of its past. */
export async function slugsOf(trx: Trx, postId: string): Promise<Set<string>> {
  const rows = await blogTables(trx).selectFrom('post_slugs').select('slug').where('post_id', '=', postId).execute();
  return new Set(rows.map((row) => row.slug));
}

/** Runs `fn` and takes back what it wrote, keeping what it read. */
export async function rehearse<T>(trx: Trx, fn: () => Promise<T>): Promise<T> {
  await sql`savepoint rehearsal`.execute(trx);
  const result = await fn();
  await sql`rollback to savepoint rehearsal`.execute(trx);
  return result;
}
