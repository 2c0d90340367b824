import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { blogTables } from '../tables.ts';

interface Kept {
  postId: string;
  body: string;
  html: string;
  version: number;
}

/** Keeps the rendering of a body, unless the body is another by now. One statement, atomic in itself. */
export async function saveRendering(db: Db, rendering: Kept): Promise<void> {
  const { postId, body, html, version } = rendering;
  await sql`
    update post_bodies set html = ${html}, html_version = ${version}, html_tries = 0
    where post_id = ${postId} and body = ${body} and html_version <= ${version}`.execute(db);
}

/** A text whose rendering was given up is tried so many times: the machine may have been busy. */
const TRIES = 3;

/**
 * The same for the plain text that stands in for a rendering. Until the last try it counts as missing, and an older
 * rendering stays.
 */
export async function saveGivenUp(db: Db, { postId, body, html, version }: Kept): Promise<void> {
  const isLast = sql`html_tries + 1 >= ${sql.lit(TRIES)}`;
  await sql`
    update post_bodies set html = case when ${isLast} then ${html} else coalesce(html, ${html}) end,
      html_version = case when ${isLast} then ${version}::integer else html_version end, html_tries = html_tries + 1
    where post_id = ${postId} and body = ${body} and html_version < ${version}`.execute(db);
}

/** The body of a post with its rendering and the version of that, or null. */
export async function bodyOf(
  db: Db,
  postId: string,
): Promise<{ body: string; html: string | null; version: number } | null> {
  const row = await blogTables(db)
    .selectFrom('post_bodies')
    .select(['body', 'html', 'html_version as version'])
    .where('post_id', '=', postId)
    .executeTakeFirst();
  return row ?? null;
}
